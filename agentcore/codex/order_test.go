package codex

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/internal/jsonrpc"
)

// world plays random orders of calls, replies, notifications, timers and exits
// against the machine, and checks what must hold in each of them.
type world struct {
	t       *rapid.T
	m       *machine
	calls   agentcore.CallID
	open    map[agentcore.CallID]string // calls without an answer
	pending []jsonrpc.Message           // requests of the machine without a reply
	turns   []string                    // that codex runs
	next    int
	asked   []string
	timers  map[int]string
	ended   map[string]bool
	gone    bool
	running bool // there is a process
	ending  bool // that was told to end
	gen     int
}

func newWorld(t *rapid.T) *world {
	return &world{
		t: t, m: newMachine(agentcore.OpenRequest{}, DefaultLimits),
		open: map[agentcore.CallID]string{}, timers: map[int]string{}, ended: map[string]bool{},
	}
}

func (w *world) step(in input) {
	for _, e := range w.m.step(in) {
		switch e := e.(type) {
		case startEffect:
			w.running, w.ending, w.gen, w.pending, w.turns = true, false, e.gen, nil, nil
		case writeEffect:
			w.wrote(e.line)
		case armEffect:
			w.timers[e.timer] = e.name
		case disarmEffect:
			delete(w.timers, e.timer)
		case emitEffect:
			w.saw(e.event)
		case closeEffect, killEffect:
			require.True(w.t, w.running, "there is nothing to end")
			w.ending = true
		}
	}
	w.noneForgotten()
}

// noneForgotten: whoever waits waits for something. A call is open as long as
// codex owes a reply, a limit runs or the process is about to end.
func (w *world) noneForgotten() {
	if len(w.pending) == 0 && len(w.timers) == 0 && !(w.running && w.ending) {
		require.Empty(w.t, w.open, "calls that nothing will answer")
	}
}

func (w *world) wrote(line []byte) {
	require.True(w.t, w.running, "written to nobody: %s", line)
	msg, err := jsonrpc.Parse(line)
	require.NoError(w.t, err)
	if msg.Kind() == jsonrpc.Request {
		w.pending = append(w.pending, msg)
	}
}

func (w *world) saw(e agentcore.Event) {
	require.False(w.t, w.gone, "%T after the session was gone", e)
	turn := ""
	switch e := e.(type) {
	case agentcore.Answer:
		require.Contains(w.t, w.open, e.Call, "answered twice")
		delete(w.open, e.Call)
	case agentcore.TurnStarted:
		turn = e.Turn
	case agentcore.TurnEnded:
		require.False(w.t, w.ended[e.Turn], "%s ended twice", e.Turn)
		w.ended[e.Turn] = true
	case agentcore.Taken:
		turn = e.Turn
	case agentcore.ItemUpdated:
		turn = e.Turn
	case agentcore.PermissionRequested:
		w.asked = append(w.asked, e.Request.ID)
	case agentcore.PermissionResolved:
		require.Contains(w.t, w.asked, e.Request)
		w.asked = slices.DeleteFunc(w.asked, func(id string) bool { return id == e.Request })
	case agentcore.Exited:
		w.gone = true
		require.Empty(w.t, w.open, "calls without an answer at the end")
	}
	require.False(w.t, w.ended[turn], "%#v for a turn that is over", e)
}

func (w *world) call(op agentcore.Op) {
	if w.gone {
		return
	}
	w.calls++
	w.open[w.calls] = fmt.Sprintf("%T", op)
	w.step(callInput{agentcore.Call{ID: w.calls, Op: op}})
}

func (w *world) line(msg jsonrpc.Message) {
	if w.running {
		w.step(lineInput{w.gen, msg.Line()})
	}
}

func (w *world) note(method string, params map[string]any) {
	params["threadId"] = "thread"
	raw, _ := jsonrpc.Raw(params)
	w.line(jsonrpc.Message{Method: method, Params: raw})
}

// reply answers one of the requests that are open, not always kindly.
func (w *world) reply() {
	if len(w.pending) == 0 || !w.running {
		return
	}
	i := rapid.IntRange(0, len(w.pending)-1).Draw(w.t, "which")
	msg := w.pending[i]
	w.pending = slices.Delete(w.pending, i, i+1)
	if rapid.IntRange(0, 5).Draw(w.t, "kind") == 0 {
		w.line(jsonrpc.Message{ID: msg.ID, Error: &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "no active turn to steer"}})
		return
	}
	result := map[string]any{"userAgent": "x/0.171.0", "thread": map[string]any{"id": "thread"}}
	switch msg.Method {
	case "turn/start":
		result["turn"] = map[string]any{"id": w.newTurn()}
	case "turn/steer", "turn/interrupt":
		result["turnId"] = w.someTurn()
	}
	raw, _ := jsonrpc.Raw(result)
	w.line(jsonrpc.Message{ID: msg.ID, Result: raw})
}

func (w *world) newTurn() string {
	w.next++
	id := fmt.Sprintf("turn-%d", w.next)
	w.turns = append(w.turns, id)
	return id
}

// someTurn is a turn that codex runs or has run, or one of its own.
func (w *world) someTurn() string {
	if len(w.turns) == 0 {
		return w.newTurn()
	}
	return rapid.SampledFrom(w.turns).Draw(w.t, "turn")
}

func (w *world) exit() {
	if w.running {
		w.running = false
		w.step(exitInput{w.gen, Exit{Code: 1}})
	}
}

func (w *world) expire() {
	var ids []int
	for id := range w.timers {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return
	}
	slices.Sort(ids)
	id := rapid.SampledFrom(ids).Draw(w.t, "timer")
	delete(w.timers, id)
	w.step(timerInput{id})
}

func (w *world) item() {
	text := rapid.SampledFrom([]string{"a", "b"}).Draw(w.t, "text")
	phase := rapid.SampledFrom([]string{"started", "completed"}).Draw(w.t, "phase")
	item := rapid.SampledFrom([]map[string]any{
		{"type": "userMessage", "id": "u" + text, "clientId": text, "content": []any{map[string]any{"type": "text", "text": text}}},
		{"type": "agentMessage", "id": "m" + text, "text": text},
		{"type": "contextCompaction", "id": "c" + text},
	}).Draw(w.t, "item")
	w.note("item/"+phase, map[string]any{"turnId": w.someTurn(), "item": item})
}

// finish lets everything end, and finds what was forgotten.
func (w *world) finish() {
	if w.gone {
		return
	}
	for len(w.pending) > 0 && w.running && !w.ending {
		w.reply()
	}
	w.call(agentcore.CloseSession{})
	w.exit()
	require.True(w.t, w.gone, "the close is not answered: a deadlock")
	require.Empty(w.t, w.timers, "timers run on after the end")
	require.Empty(w.t, w.asked, "questions without an end")
}

// TestRandomOrders plays a thousand of them.
func TestRandomOrders(t *testing.T) {
	for range 10 {
		rapid.Check(t, randomOrder)
	}
}

func randomOrder(t *rapid.T) {
	w := newWorld(t)
	w.step(openInput{})
	w.reply() // most orders begin with a handshake that succeeds
	w.reply()
	text := func() string { return rapid.SampledFrom([]string{"a", "b", "/a"}).Draw(t, "text") }
	t.Repeat(map[string]func(*rapid.T){
		"reply": func(*rapid.T) { w.reply() },
		"again": func(*rapid.T) { w.reply() },
		"start": func(*rapid.T) {
			w.call(agentcore.StartTurn{Prompt: agentcore.Prompt{Text: text()}, ClientID: text()})
		},
		"steer": func(*rapid.T) {
			w.call(agentcore.SteerTurn{Prompt: agentcore.Prompt{Text: text()}, ClientID: text(), Turn: w.someTurn()})
		},
		"interrupt": func(*rapid.T) { w.call(agentcore.InterruptTurn{}) },
		"compact":   func(*rapid.T) { w.call(agentcore.Compact{}) },
		"history":   func(*rapid.T) { w.call(agentcore.ReadHistory{}) },
		"begin": func(*rapid.T) {
			w.note("turn/started", map[string]any{"turn": map[string]any{"id": w.someTurn()}})
		},
		"end": func(*rapid.T) {
			w.note("turn/completed", map[string]any{"turn": map[string]any{"id": w.someTurn(), "status": "completed"}})
		},
		"item": func(*rapid.T) { w.item() },
		"ask": func(*rapid.T) {
			w.next++
			w.line(jsonrpc.Message{ID: idOf(1000 + w.next), Method: "item/commandExecution/requestApproval", Params: []byte(`{"threadId":"thread","itemId":"i"}`)})
		},
		"respond": func(*rapid.T) {
			if len(w.asked) > 0 {
				w.call(agentcore.Respond{Request: w.asked[0]})
			}
		},
		"expire": func(*rapid.T) { w.expire() },
		"exit": func(*rapid.T) {
			if rapid.IntRange(0, 4).Draw(t, "really") == 0 {
				w.exit()
			}
		},
	})
	w.finish()
}
