package report

import (
	"encoding/json"
	"fmt"
	"io"
)

// Remark is something about a place in a file that was found without running
// it. Line and Column count from 1; 0: the file as a whole.
type Remark struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"` // error, warning
	Message  string `json:"message"`
}

// WriteRemarkJSON writes a remark as one line, as WriteJSON does a result.
func WriteRemarkJSON(w io.Writer, r Remark) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(quiet(data), '\n'))
	return err
}

// WriteRemarkAnnotation writes a remark as GitHub's workflow command, which
// shows it at its line.
func WriteRemarkAnnotation(w io.Writer, r Remark) error {
	command := "error"
	if r.Severity == "warning" {
		command = "warning"
	}
	_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d::%s\n", command, property(r.File), r.Line, r.Column, message(Visible(r.Message)))
	return err
}
