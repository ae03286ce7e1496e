package tape_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// seeds are tapes without their end lines, which fuzzing would never get right.
func seeds(f *testing.F) {
	f.Helper()
	good, err := tape.Format(small())
	require.NoError(f, err)
	recorded, err := os.ReadFile("../../../golden/agents/interrupted-while-waiting.tape")
	require.NoError(f, err)
	for _, data := range [][]byte{good, recorded} {
		f.Add(string(data[:bytes.LastIndex(data, []byte("\nend "))+1]))
	}
	f.Add(head + "spawn main\n" + bomb() + "\nexit {\"code\":0}\n")
	f.Add(head + "spawn main\n? T1 request 1 turn " + request + "\n~ T1 event 1 headers\nx T1 cut 1\nexit {\"code\":0}\n")
}

// FuzzParse: what is read is written again as it was.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		tp, err := tape.Parse(sealed(text))
		if err != nil {
			require.Less(t, len(err.Error()), 1000)
			return
		}
		again, err := tape.Format(tp)
		require.NoError(t, err)
		require.Equal(t, string(sealed(text)), string(again))
	})
}

// FuzzPlay: whatever somebody makes of a tape, if it can be read, the process that
// plays it ends when it is asked to, and nothing is left of it.
func FuzzPlay(f *testing.F) {
	recorded, err := os.ReadFile("../../../golden/agents/interrupted-while-waiting.tape")
	require.NoError(f, err)
	f.Add([]byte{})
	f.Add([]byte{0, 3, 0, 1, 20, 0, 2, 30, 40, 3, 50, 2, 4, 60, 1})
	f.Fuzz(func(t *testing.T, edits []byte) {
		tp, err := tape.Parse(recorded)
		require.NoError(t, err)
		for ; len(edits) >= 3; edits = edits[3:] {
			edit(&tp.Sections[0], edits[0], int(edits[1]), int(edits[2]))
		}
		data, err := tape.Format(tp)
		require.NoError(t, err)
		if tp, err = tape.Parse(data); err != nil {
			return
		}
		synctest.Test(t, func(t *testing.T) { playHostile(t, tp) })
	})
}

// edit does one thing to the lines of a section.
func edit(s *tape.Section, op byte, i, j int) {
	if len(s.Lines) == 0 {
		return
	}
	i, j = i%len(s.Lines), j%len(s.Lines)
	switch op % 7 {
	case 0:
		s.Lines = slices.Delete(s.Lines, i, i+1)
	case 1:
		s.Lines = slices.Insert(s.Lines, j, s.Lines[i])
	case 2:
		s.Lines[i], s.Lines[j] = s.Lines[j], s.Lines[i]
	case 3:
		s.Lines[i].Thread = []string{"", "T1", "T1.1", s.Lines[j].Thread}[j%4]
	case 4:
		s.Lines[i].N = j + 1
	case 5:
		s.Lines[i].Tools = !s.Lines[i].Tools
	case 6:
		s.Lines[i].Data = s.Lines[j].Data
	}
}

func playHostile(t *testing.T, tp *tape.Tape) {
	// It knows no answer of the tape's, so what is asked stays open or departs.
	answer := func(string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusOK)
			<-r.Context().Done()
			_, _ = io.WriteString(w, "data: {}\n\n")
		})
	}
	exited := false
	p := &tape.Player{Tape: tp, Provider: answer, Tools: answer}
	process, err := p.Start(codex.Command{Agent: tp.Sections[0].Agent, Dir: "/run"}, codex.Callbacks{
		Line: func([]byte) {}, Exit: func(codex.Exit) { exited = true },
	})
	require.NoError(t, err)
	for _, l := range tp.Sections[0].Lines {
		if l.Mark == tape.Manager {
			process.Write(spokenAgain(l))
		}
		synctest.Wait()
	}
	process.Close()
	synctest.Wait()
	require.True(t, exited)
}

// spokenAgain is a message of the manager as it was recorded.
func spokenAgain(l tape.Line) []byte {
	m := jsonrpc.Message{ID: json.RawMessage(strconv.Itoa(l.N)), Method: l.Name, Params: l.Data}
	switch l.Verb {
	case tape.Note:
		m.ID = nil
	case tape.Answer, tape.Error:
		m.Params, m.Result = nil, l.Data
	}
	return m.Line()
}
