package record_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/record"
)

// witness looks at the tape at the moment when bytes move.
type witness struct {
	fake
	taped func() string
	at    map[string]string // line -> the tape when codex got it
}

func (w *witness) Start(_ codex.Command, cb codex.Callbacks) (codex.Process, error) {
	w.cb = cb
	return w, nil
}
func (w *witness) Write(line []byte) { w.at[string(line)] = w.taped() }

// What stands above an act is never less than what codex knew: that is why
// playback is never too early.
func TestALineIsLoggedBeforeCodexGetsItAndBeforeTheManagerHasIt(t *testing.T) {
	r := &record.Recorder{}
	w := &witness{at: map[string]string{}}
	w.taped = func() string {
		tp, err := r.Tape(tape.Head{Codex: "0.171.0", Scenario: "sha256:00"})
		require.NoError(t, err)
		data, err := tape.Format(tp)
		require.NoError(t, err)
		return string(data)
	}
	heard := ""
	p, err := r.Backend(w).Start(codex.Command{Agent: "main"}, codex.Callbacks{
		Line: func([]byte) { heard = w.taped() }, Exit: func(codex.Exit) {},
	})
	require.NoError(t, err)
	const told, said = `{"method":"told"}`, `{"method":"said"}`
	p.Write([]byte(told))
	require.Contains(t, w.at[told], "> - note told\n", "before it is written")
	w.cb.Line([]byte(said))
	require.Contains(t, heard, "< - note said\n", "before it is handed on, so that an answer to it stands below it")
}

func TestTotalsThatCodexEstimatesAreNotKept(t *testing.T) {
	usage := func(input, output, total string) string {
		return `{"method":"thread/tokenUsage/updated","params":{"tokenUsage":{"last":{"inputTokens":` + input +
			`,"outputTokens":` + output + `,"totalTokens":` + total + `}}}}`
	}
	text := run(t, func(_, hear func(string), _ func(eventlog.Body)) {
		hear(usage("0", "0", "6304"))
		hear(usage("0", "0", "6306"))
		hear(usage("100", "0", "101"))
	})
	require.NotRegexp(t, "630[46]", text, "with no part above 0 it is an estimate, which depends on the length of paths")
	require.Contains(t, text, `"inputTokens":100,"outputTokens":0,"totalTokens":101`, "the provider's own count")
}

func TestTheScenariosOwnTextsAreKeptWhereverTheyAre(t *testing.T) {
	type part struct {
		Config  map[string]any
		Catalog []json.RawMessage
	}
	texts := record.Texts(&part{map[string]any{"deep": []any{"IN THE CONFIG"}}, []json.RawMessage{[]byte(`{"base_instructions":"SPEAK LIKE A PIRATE"}`)}})
	require.Equal(t, []string{"IN THE CONFIG", "SPEAK LIKE A PIRATE"}, texts)
	r := &record.Recorder{Texts: texts}
	_, err := r.Backend(&fake{}).Start(codex.Command{Agent: "main"}, codex.Callbacks{})
	require.NoError(t, err)
	r.Read(eventlog.Event{Agent: "main", Body: eventlog.Request{ID: 1, Class: "turn", Method: "POST", Path: "/v1/responses",
		Payload: []byte(`{"instructions":"SPEAK LIKE A PIRATE","input":[{"role":"developer","content":[{"text":"SPEAK LIKE A PIRATE"}]},{"role":"developer","content":"SPEAK LIKE A COW"}]}`)}})
	tp, err := r.Tape(tape.Head{})
	require.NoError(t, err)
	data := string(tp.Sections[0].Lines[0].Data)
	require.Contains(t, data, `"instructions":"SPEAK LIKE A PIRATE"`)
	require.Contains(t, data, `[{"text":"SPEAK LIKE A PIRATE"}]`)
	require.NotContains(t, data, "COW", "what is not the scenario's is codex's")
}

func TestWhereTheWorkFolderIsDoesNotMatter(t *testing.T) {
	text := func(roots string) string {
		return run(t, func(_, _ func(string), log func(eventlog.Body)) {
			log(eventlog.Request{ID: 1, Class: "turn", Method: "POST", Path: "/v1/responses", Payload: []byte(
				`{"input":[{"role":"developer","content":[{"text":"<permissions instructions>\nThe writable roots are ` + roots + `.\n"}]}]}`)})
		})
	}
	require.Equal(t, text("`/tmp`, `/run/one/tmp`, `/run/one`"), text("`/run/one/tmp`, `/run/one`, `/tmp`"), "codex sorts them by their paths")
	require.NotEqual(t, text("`/tmp`, `/run/one`"), text("`/run/one`"))
}
