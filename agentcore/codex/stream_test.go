package codex_test

import (
	"testing"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex/codextest"
)

func (r *fakeRig) delta(kind, item, text string) {
	r.server.Notify("item/"+kind, map[string]any{"turnId": "turn-1", "itemId": item, "delta": text})
}

func TestStreaming(t *testing.T) {
	table(t, []row{
		{
			name: "13.V1: a whole message is not told again",
			do: func(r *fakeRig) {
				r.running()
				r.server.Say("m1", "hello")
			},
			want: []string{`item assistant "hello" final=false`, `item assistant "" final=true`},
		},
		{
			name: "13.V2: only the rest is",
			do: func(r *fakeRig) {
				r.running()
				r.delta("agentMessage/delta", "m1", "hel")
				r.server.Item("completed", map[string]any{"type": "agentMessage", "id": "m1", "text": "hello"})
				r.server.Item("completed", map[string]any{"type": "agentMessage", "id": "m2", "text": "whole"})
			},
			want: []string{`item assistant "hel" final=false`, `item assistant "lo" final=true`, `item assistant "whole" final=true`},
		},
		{
			name:   "an empty message is no row",
			reason: "a row that says nothing would stand in every golden",
			do: func(r *fakeRig) {
				r.running()
				r.server.Item("started", map[string]any{"type": "agentMessage", "id": "m1", "text": ""})
				r.server.Item("completed", map[string]any{"type": "agentMessage", "id": "m1", "text": ""})
			},
		},
		{
			name: "a text that is not what was streamed",
			do: func(r *fakeRig) {
				r.running()
				r.delta("agentMessage/delta", "m1", "hullo")
				r.server.Item("completed", map[string]any{"type": "agentMessage", "id": "m1", "text": "hello"})
			},
			want: []string{
				`item assistant "hullo" final=false`, "unknown item/completed: the text of m1 is not what was streamed",
				`item assistant "" final=true`,
			},
		},
		{
			name: "13.V4: parts of a thought",
			do: func(r *fakeRig) {
				r.running()
				r.delta("reasoning/summaryTextDelta", "r1", "one")
				r.server.Notify("item/reasoning/summaryPartAdded", map[string]any{"turnId": "turn-1", "itemId": "r1", "summaryIndex": 1})
				r.delta("reasoning/summaryTextDelta", "r1", "two")
				r.server.Item("completed", map[string]any{"type": "reasoning", "id": "r1", "summary": []any{"one", "two, and more"}})
			},
			want: []string{
				`item thought "one" final=false`, `item thought "\n\n" final=false`, `item thought "two" final=false`,
				`item thought ", and more" final=true`,
			},
		},
		{
			name: "13.V5, 13.V6: usage",
			do: func(r *fakeRig) {
				r.running()
				r.server.Notify("thread/tokenUsage/updated", map[string]any{"turnId": "turn-1", "tokenUsage": map[string]any{
					"modelContextWindow": 1000,
					"last":               map[string]any{"totalTokens": 30, "inputTokens": 20, "cachedInputTokens": 5, "outputTokens": 10},
				}})
				r.server.Notify("thread/tokenUsage/updated", map[string]any{"turnId": "turn-1", "tokenUsage": map[string]any{
					"last": map[string]any{"totalTokens": 0},
				}})
				r.server.Notify("thread/tokenUsage/updated", map[string]any{"turnId": "turn-1", "tokenUsage": "none"})
			},
			want: []string{
				"usage in=20 cached=5 out=10 total=30 used=30 max=1000 ", "usage total=0 ",
			},
		},
		{
			name: "13.V8, 13.V9: what is not known is said, and does no harm",
			do: func(r *fakeRig) {
				r.running()
				r.server.Notify("thread/levitated", nil)
				r.server.Print(`{"method":"turn/completed","params":"?"}`)
				r.server.Print(`Segmentation fault`)
				r.server.Print(`{"id":77,"result":{}}`)
				r.server.Item("completed", map[string]any{"type": "hologram", "id": "h1"})
				r.server.Notify("codex/event/agent_message", map[string]any{"msg": "mirror"})
				r.server.Notify("thread/status/changed", nil)
				r.server.Ask("item/tool/call", map[string]any{})
			},
			want: []string{
				"unknown thread/levitated: unknown notification",
				"unknown turn/completed: its params cannot be read: json: cannot unmarshal string into Go value of type codex.note",
				`unknown : no JSON-RPC message: invalid character 'S' looking for beginning of value: "Segmentation fault"`,
				"unknown : a reply to call 77, which is not waiting",
				"unknown item: of type hologram",
				"unknown item/tool/call: unknown request",
			},
		},
		{
			name: "a turn of codex's own",
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.take()
				r.server.Autonomous()
				r.server.Say("m1", "hm")
				r.server.Complete()
			},
			want: []string{"started turn-1", `item assistant "hm" final=false`, `item assistant "" final=true`, "ended turn-1 completed"},
		},
		{
			name: "13.V10: a plan, a terminal, another model, warnings",
			do: func(r *fakeRig) {
				r.running()
				r.server.Notify("turn/plan/updated", map[string]any{"turnId": "turn-1", "plan": []any{
					map[string]any{"step": "a", "status": "completed"}, map[string]any{"step": "b", "status": "inProgress"},
				}})
				r.server.Notify("item/commandExecution/terminalInteraction", map[string]any{"turnId": "turn-1", "itemId": "i", "processId": "7", "stdin": "y\n"})
				r.server.Notify("model/rerouted", map[string]any{"turnId": "turn-1", "fromModel": "a", "toModel": "b"})
				r.server.Notify("warning", map[string]any{"message": "careful"})
			},
			want: []string{
				`item todo "" final=false`, `item tool terminal completed ""`, "setting model=b", "notice warning careful retry=false",
			},
		},
	})
}

func TestCompactions(t *testing.T) {
	table(t, []row{
		{
			name: "13.W1: started and completed",
			do: func(r *fakeRig) {
				r.running()
				r.server.Compaction("started", "c1")
				r.server.Compaction("completed", "c1")
			},
			want: []string{"item compaction running auto", "item compaction completed auto"},
		},
		{
			name:   "13.W2: thread/compacted alone",
			reason: "versions up to 0.111.0 may say only this",
			do: func(r *fakeRig) {
				r.running()
				r.server.Notify("thread/compacted", map[string]any{"turnId": "turn-1"})
			},
			want: []string{"item compaction completed auto"},
		},
		{
			name: "13.W3: item and thread/compacted are one",
			do: func(r *fakeRig) {
				r.running()
				r.server.Compaction("started", "c1")
				r.server.Notify("thread/compacted", map[string]any{"turnId": "turn-1"})
				r.server.Compaction("completed", "c1")
				r.server.Notify("thread/compacted", map[string]any{"turnId": "turn-1"})
			},
			want: []string{"item compaction running auto", "item compaction completed auto"},
		},
		{
			name:   "13.W4, 13.W7: interrupted: codex never completes it, and a late completion is not told",
			reason: "the manager closes the row as aborted",
			do: func(r *fakeRig) {
				r.running()
				r.server.Compaction("started", "c1")
				r.do(agentcore.InterruptTurn{})
				r.take()
				r.server.Notify("item/completed", map[string]any{"turnId": "turn-1", "item": map[string]any{"type": "contextCompaction", "id": "c1"}})
			},
		},
		{
			name: "13.W6: asked for by hand",
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.do(agentcore.Compact{})
				r.take()
				r.server.Autonomous()
				r.server.Compaction("started", "c1")
				r.server.Compaction("completed", "c1")
				r.server.Complete()
			},
			want: []string{"started turn-1", "item compaction running manual", "item compaction completed manual", "ended turn-1 completed"},
		},
		{
			name:   "a compaction by hand that codex refuses leaves the next turn alone",
			server: refusing("thread/compact/start", -32600, "no"),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.do(agentcore.Compact{})
				r.take()
				r.server.Autonomous()
				r.server.Compaction("started", "c1")
			},
			want: []string{"started turn-1", "item compaction running auto"},
		},
		{
			name:   "a steer of one by hand, where codex would swallow it",
			server: &codextest.Server{Version: "0.111.0"},
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.do(agentcore.Compact{})
				r.take()
				r.server.Autonomous()
				r.steer("two")
			},
			want: []string{"started turn-1", "answer 2 unavailable not_steerable compact: cannot steer a compact turn"},
		},
	})
}

func TestChildThreads(t *testing.T) {
	child := func(r *fakeRig, method string, params map[string]any) {
		params["threadId"] = "child-1"
		r.server.Notify(method, params)
	}
	spawn := func(status string) map[string]any {
		return map[string]any{
			"type": "collabAgentToolCall", "id": "s1", "tool": "spawnAgent", "prompt": "go", "status": "completed",
			"receiverThreadIds": []any{"child-1"}, "agentsStates": map[string]any{"child-1": map[string]any{"status": status}},
		}
	}
	says := func(r *fakeRig, text string) {
		child(r, "item/completed", map[string]any{"turnId": "t", "item": map[string]any{"type": "agentMessage", "id": "x", "text": text}})
	}
	table(t, []row{
		{
			name: "13.Y11, 13.V7: shown in the row of its call, what came early too",
			do: func(r *fakeRig) {
				r.running()
				child(r, "turn/started", map[string]any{"turn": map[string]any{"id": "t"}})
				says(r, "early")
				r.server.Item("started", spawn("running"))
				says(r, "later")
				child(r, "turn/completed", map[string]any{"turn": map[string]any{"id": "t", "status": "failed"}})
			},
			reason: "a child's failure is its row's, and does not end our turn",
			want: []string{
				`item tool Sub-agent running "" "early"`, `item tool Sub-agent running "" "early\nlater"`, `item tool Sub-agent failed "" "early\nlater"`,
			},
		},
		{
			name: "13.Z10: its end is that of its states",
			do: func(r *fakeRig) {
				r.running()
				r.server.Item("completed", spawn("errored"))
			},
			want: []string{`item tool Sub-agent failed "" ""`},
		},
	})
}
