package main

import (
	"io"
	"os"

	"github.com/heldstream/heldstream/harness/report"
)

// printer writes results in the form that the flags ask for.
type results struct {
	text *report.Text // nil: JSON
	out  io.Writer
}

func printer(s streams, f *flags) *results {
	p := &results{out: s.out}
	if !f.json {
		p.text = &report.Text{W: s.out, Color: colored(s.out)}
	}
	return p
}

func colored(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && report.UseColor(file)
}

// result writes one result. An output that cannot be written to is seen when
// the process ends by its signal, or by nobody.
func (p *results) result(r report.Result) {
	if p.text == nil {
		_ = report.WriteJSON(p.out, r)
		return
	}
	_ = p.text.Result(r)
}

func (p *results) summary(r report.Run) {
	if p.text != nil {
		_ = p.text.End(r)
	}
}
