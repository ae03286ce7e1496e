package eventlog

import "fmt"

// Content is the row's text without its kind: what stands behind "kind: ".
func (b Row) Content() string {
	switch {
	case b.Kind == "tool":
		return b.Name + " " + b.Status
	case b.Kind == "compaction" && b.Status == "running":
		return "started"
	case b.Kind == "compaction":
		return b.Status
	}
	return b.Text
}

// String renders the row as scenarios, goldens and reports write it.
func (b Row) String() string {
	if b.Note != "" {
		return fmt.Sprintf("%s (%s): %s", b.Kind, b.Note, b.Content())
	}
	return b.Kind + ": " + b.Content()
}
