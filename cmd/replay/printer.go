package main

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/heldstream/heldstream/harness/report"
)

// results writes results in the form that the flags ask for, and progress where
// somebody looks at it. What cannot be written is the reader's loss: the exit
// code says the same.
type results struct {
	text     *report.Text // nil: JSON
	out      io.Writer
	notes    io.Writer // of annotations; GitHub reads both streams, a reader of JSON only one
	progress io.Writer // nil: nobody looks
	total    int
	done     int
}

func printer(s streams, f *flags, total int) *results {
	p := &results{out: s.out, notes: s.err, total: total}
	if !f.json {
		p.text = &report.Text{W: s.out, Color: colored(s.out), Figures: f.verbose}
	}
	if file, ok := s.err.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.progress = file
	}
	return p
}

func colored(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && report.UseColor(file)
}

// begin shows how far the run is.
func (p *results) begin() {
	if p.progress != nil && p.done < p.total {
		fmt.Fprintf(p.progress, "\r%d of %d …", p.done, p.total)
	}
}

func (p *results) clear() {
	if p.progress != nil {
		fmt.Fprint(p.progress, "\r\033[K")
	}
}

func (p *results) result(r report.Result) {
	p.clear()
	p.done++
	if p.text == nil {
		_ = report.WriteJSON(p.out, r)
	} else {
		_ = p.text.Result(r)
	}
	if onGitHub() {
		_ = report.WriteAnnotations(p.notes, r)
	}
	p.begin()
}

func (p *results) summary(r report.Run) {
	p.clear()
	if p.text != nil {
		_ = p.text.End(r)
	}
}
