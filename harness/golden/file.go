package golden

import (
	"bytes"
	"strings"
)

// File is one golden.
type File struct {
	Version  string // of the codex that it is for
	Sections []Section
}

// Section is what happened in one step. Its title says which.
type Section struct {
	Title string
	Lanes []Lane
}

// Lane is the part of a section's events whose order among themselves is
// certain. Between lanes no order is asserted.
type Lane struct {
	Name  string
	Lines []string
}

const magic = "golden 1 codex="

// Format gives the one form that a golden is written in. Lanes without lines
// are left out; a section without lanes stays, as a step in which nothing
// happened.
func Format(f File) []byte {
	var b bytes.Buffer
	b.WriteString(magic + escape(f.Version) + "\n")
	for _, s := range f.Sections {
		b.WriteString("\n== " + escape(s.Title) + "\n")
		for _, l := range s.Lanes {
			writeLane(&b, l)
		}
	}
	return b.Bytes()
}

func writeLane(b *bytes.Buffer, l Lane) {
	if len(l.Lines) == 0 {
		return
	}
	b.WriteString(laneName(l.Name) + "\n")
	for _, line := range l.Lines {
		b.WriteString("  " + escape(line) + "\n")
	}
}

// laneName keeps a lane's line from being taken for a section or an event.
func laneName(name string) string {
	if strings.HasPrefix(name, "==") {
		return `\x3d` + escape(name[1:])
	}
	return escape(name)
}
