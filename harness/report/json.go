package report

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// line is a Result as --json prints it. Members of the contract are always
// there, lists and objects never null; the others only when they say something.
type line struct {
	Scenario    string         `json:"scenario"`
	Variant     Variant        `json:"variant"`
	Verdict     Verdict        `json:"verdict"`
	Codex       Codex          `json:"codex"`
	DurationMS  int64          `json:"duration_ms"`
	Compactions Compactions    `json:"compactions"`
	Requests    map[string]int `json:"requests"`
	Delivered   []string       `json:"delivered"`
	Lost        []string       `json:"lost"`
	Failures    []Failure      `json:"failures"`

	Sends     []string       `json:"sends,omitempty"`
	Turns     []string       `json:"turns,omitempty"`
	Lifecycle []string       `json:"lifecycle,omitempty"`
	Calls     map[string]int `json:"calls,omitempty"`

	About     string   `json:"about,omitempty"`
	Manager   string   `json:"manager,omitempty"`
	File      string   `json:"file,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	NotPlayed string   `json:"not_played,omitempty"`
	Known     *Known   `json:"known_failure,omitempty"`
	Timeline  []Row    `json:"timeline,omitempty"`
	Spoilt    int      `json:"spoilt,omitempty"`
	Notes     []string `json:"notes,omitempty"`
	Golden    Golden   `json:"golden,omitempty"`
	Command   string   `json:"command,omitempty"`
}

// WriteJSON writes one result as one line. What could act on a terminal or a CI
// log stands as JSON's own escapes, so a reader gets every text as it was.
func WriteJSON(w io.Writer, r Result) error {
	requests := r.Requests
	if requests == nil {
		requests = map[string]int{}
	}
	data, err := json.Marshal(line{
		Scenario: r.Scenario, Variant: r.Variant, Verdict: r.Verdict, Codex: r.Codex,
		DurationMS: r.Duration.Milliseconds(), Compactions: r.Compactions, Requests: requests,
		Delivered: list(r.Delivered), Lost: list(r.Lost), Failures: list(r.Failures),
		Sends: r.Sends, Turns: r.Turns, Lifecycle: r.Lifecycle, Calls: r.Calls,
		About: r.About, Manager: r.Manager, File: r.File, Reason: r.Reason, NotPlayed: r.NotPlayed, Known: r.Known, Timeline: r.rows(), Spoilt: r.Spoilt,
		Notes: r.Notes, Golden: r.Golden, Command: r.command(),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(append(quiet(data), '\n'))
	return err
}

// quiet escapes in a JSON text what Visible escapes in a plain one, and the
// second # of the mark of CI commands. Outside of strings there is neither.
func quiet(data []byte) []byte {
	var out []byte
	hash := false
	for _, r := range string(data) {
		if !unicode.IsPrint(r) || r == '#' && hash {
			for _, unit := range utf16.AppendRune(nil, r) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		} else {
			out = utf8.AppendRune(out, r)
		}
		hash = r == '#'
	}
	return out
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
