package plan_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
	mp "github.com/heldstream/heldstream/mockprovider"
)

func ptr[T any](v T) *T { return &v }

func raw(s string) json.RawMessage { return json.RawMessage(s) }

// one parses a file with one variant.
func one(t *testing.T, text string) *plan.Plan {
	t.Helper()
	f, faults := plan.Parse("a.toml", []byte(text), nil)
	require.Empty(t, faults.Errors(), "%s", text)
	plans := variants(t, f, plan.Options{})
	require.Len(t, plans, 1)
	return plans[0]
}

func TestReplyKeys(t *testing.T) {
	for _, tt := range []struct {
		keys string
		want mp.Reply
	}{
		{`to = "any"`, mp.Reply{To: mp.AnyClass}},
		{"to = \"side\"\npath = \"/x\"", mp.Reply{To: mp.Side, Path: "/x"}},
		{"to = \"turn\"\ntimes = 2\noptional = true", mp.Reply{To: mp.Turn, Times: 2, Optional: true}},
		{`to = "turn"` + "\n" + `say = { repeat = "ab", times = 3 }`, mp.Reply{To: mp.Turn, Say: []string{"ababab"}}},
		{`to = "turn"` + "\n" + `say = ["a", "b"]`, mp.Reply{To: mp.Turn, Say: []string{"a", "b"}}},
		{`to = "turn"` + "\n" + `think = "a"`, mp.Reply{To: mp.Turn, Think: &mp.Think{Summary: []string{"a"}}}},
		{`to = "turn"` + "\n" + `think = { summary = ["a", "b"], text = "c", encrypted = "d" }`,
			mp.Reply{To: mp.Turn, Think: &mp.Think{Summary: []string{"a", "b"}, Text: []string{"c"}, Encrypted: "d"}}},
		{`to = "turn"` + "\n" + `call = { tool = "t", args = { b = 1, a = [1.5, "x", true] } }`,
			mp.Reply{To: mp.Turn, Call: []mp.Call{{Tool: "t", Args: raw(`{"b":1,"a":[1.5,"x",true]}`)}}}},
		{`to = "turn"` + "\n" + `call = [{ tool = "t", input = "i", id = "c", namespace = "n", kind = "custom" }]`,
			mp.Reply{To: mp.Turn, Call: []mp.Call{{Tool: "t", Input: "i", ID: "c", Namespace: "n", Kind: "custom"}}}},
		{`to = "compaction.v2"` + "\n" + `compaction = ["a", "b"]`, mp.Reply{To: mp.CompactionV2, Compaction: []string{"a", "b"}}},
		{`to = "turn"` + "\n" + `tokens = "omitted"`, mp.Reply{To: mp.Turn, Tokens: &mp.Tokens{Omitted: true}}},
		{`to = "turn"` + "\n" + `tokens = { input = 5, cached = 4, output = 3, reasoning = 2, total = 1 }`,
			mp.Reply{To: mp.Turn, Tokens: &mp.Tokens{Input: 5, Cached: 4, Output: 3, Reasoning: 2, Total: 1}}},
		{`to = "turn"` + "\n" + `id = "r"` + "\n" + `end = "failed:server_error"` + "\n" + `message = "m"`, mp.Reply{To: mp.Turn, ID: "r", End: "failed:server_error", Message: "m"}},
		{`to = "turn"` + "\n" + `end = "incomplete:max_output_tokens"`, mp.Reply{To: mp.Turn, End: "incomplete:max_output_tokens"}},
		{`to = "turn"` + "\n" + `status = 429` + "\n" + `body = "{}"` + "\n" + `headers = { retry-after = "1" }`,
			mp.Reply{To: mp.Turn, Status: 429, Body: "{}", Headers: map[string]string{"retry-after": "1"}}},
		{`to = "turn"` + "\n" + `say = "x"` + "\n" + `hold = ["g", { gate = "h", before = "end" }]`,
			mp.Reply{To: mp.Turn, Say: []string{"x"}, Holds: []mp.Hold{{Gate: "g"}, {Gate: "h", Before: "end"}}}},
		{`to = "turn"` + "\n" + `delay = "20ms"` + "\n" + `cut = { after = "headers", how = "reset" }`,
			mp.Reply{To: mp.Turn, Delay: 20 * time.Millisecond, Cut: &mp.Cut{After: "headers", How: "reset"}}},
		{`to = "turn"` + "\n" + `cut = { bytes = 10, how = "close:1011" }`, mp.Reply{To: mp.Turn, Cut: &mp.Cut{Bytes: 10, How: "close:1011"}}},
		{`to = "turn"` + "\n" + `frame = { chunk = 1, crlf = true, comments = 2, event_lines = false, done = true, coalesce = 3 }`,
			mp.Reply{To: mp.Turn, Frame: mp.Frame{Chunk: 1, CRLF: true, Comments: &mp.Comments{Times: 2}, NoEventLines: true, Done: true, Coalesce: 3}}},
		{`to = "turn"` + "\n" + `frame = { comments = { times = 2, every = "1s", before = "response.created" }, event_lines = true }`,
			mp.Reply{To: mp.Turn, Frame: mp.Frame{Comments: &mp.Comments{Times: 2, Every: time.Second, Before: "response.created"}}}},
		{`to = "turn"` + "\n" + `events = [{ type = "x", n = 1 }]` + "\n" + `malformed = true` + "\n" + `end = "none"`,
			mp.Reply{To: mp.Turn, Events: []json.RawMessage{raw(`{"type":"x","n":1}`)}, Malformed: true, End: "none"}},
		{`to = "turn"` + "\n" + `match = { user = "u", lacks = "l", model = "m", agent = "main", nth = 2, tool_output = false, json = { "a.b" = 1 } }`,
			mp.Reply{To: mp.Turn, Match: mp.Match{User: &mp.Text{Contains: "u"}, Lacks: []string{"l"}, Model: "m", Agent: "main", Nth: 2,
				ToolOutput: &mp.ToolOutput{}, JSON: map[string]any{"a.b": int64(1)}}}},
		{`to = "turn"` + "\n" + `match = { user = { is = "" }, header = { h = { re = "^x" }, i = "y" }, tool_output = { contains = "o" } }`,
			mp.Reply{To: mp.Turn, Match: mp.Match{User: &mp.Text{Is: ptr("")}, Header: map[string]mp.Text{"h": {Re: "^x"}, "i": {Contains: "y"}},
				ToolOutput: &mp.ToolOutput{Present: true, Contains: "o"}}}},
	} {
		p := one(t, "[[reply]]\n"+tt.keys+"\n")
		require.Empty(t, cmp.Diff(tt.want, p.Script.Replies[0], cmpopts.EquateEmpty()), tt.keys)
	}
}

func TestAttemptsAreWholeReplies(t *testing.T) {
	p := one(t, `[[reply]]
to = "turn"
say = "a"
tokens = 5
attempts = [{ status = 500 }, {}, { say = "b", again = true }]
`)
	own := mp.Reply{To: mp.Turn, Say: []string{"a"}, Tokens: &mp.Tokens{Input: 5, Total: 5}}
	failed, other, whole := own, own, own
	failed.Status, other.Say = 500, []string{"b"}
	whole.Attempts, whole.Again = []mp.Reply{failed, own, other}, true
	require.Empty(t, cmp.Diff(whole, p.Script.Replies[0]))
}

func TestStepsAreRead(t *testing.T) {
	for _, tt := range []struct {
		step string
		want plan.Action
	}{
		{`run = "a"` + "\n" + `ends = "failed"` + "\n" + `error = "e"` + "\n" + `id = "i"` + "\n" + `images = [{ png = [3, 2] }]`,
			&plan.Run{Text: "a", Ends: "failed", Error: "e", ID: "i", Images: []plan.Content{{PNG: &[2]int{3, 2}}}}},
		{`send = "a"` + "\n" + `attached = [{ kind = "mention", name = "n", path = "/p" }, { kind = "text", text = "t" }]`,
			&plan.Send{Text: "a", Attached: []plan.Attachment{{Kind: "mention", Name: "n", Path: "/p"}, {Kind: "text", Text: "t"}}}},
		{`send = "a"` + "\n" + `behavior = "queue"` + "\n" + `id = "i"`, &plan.Send{Text: "a", Behavior: "queue", ID: "i"}},
		{`compact = true`, &plan.Compact{}},
		{`await = { held = "g", within = "10s" }`, &plan.Await{Held: "g", Count: 1, Within: 10 * time.Second}},
		{`await = { reached = "g", count = 2, agent = "main" }`, &plan.Await{Reached: "g", Count: 2, Agent: "main"}},
		{`await = { requests = { turn = 2 } }`, &plan.Await{Requests: map[string]int{"turn": 2}}},
		{`await = { compactions = { started = 1 } }`, &plan.Await{Compactions: &plan.Compactions{Started: ptr(1)}}},
		{`await = { permission = "pending" }`, &plan.Await{Permission: "pending", Agent: "main"}},
		{`release = { gate = "g", agent = "main", nth = 1, open = true, with = "failed:x" }`,
			&plan.Release{Gate: "g", Agent: "main", Nth: 1, Open: true, With: "failed:x"}},
		{`approve = { nth = 2 }`, &plan.Approve{Nth: 2}},
		{`deny = { message = "m", interrupt = true }`, &plan.Deny{Message: "m", Interrupt: true}},
		{`answer = { answers = { q = "a", r = ["b", "c"] } }`, &plan.Answer{Answers: map[string][]string{"q": {"a"}, "r": {"b", "c"}}}},
		{`set = { mode = "m", model = "n", thinking = "high", plan = true }`, &plan.Set{Mode: "m", Model: "n", Thinking: "high", Plan: ptr(true)}},
		{`restart = { what = "both", config = { a = 1 }, features = { f = true } }`,
			&plan.Restart{What: "both", Config: map[string]any{"a": int64(1)}, Features: map[string]bool{"f": true}}},
		{`restart = "manager"`, &plan.Restart{What: "manager"}},
		{`kill = true`, &plan.Kill{}},
		{`close = true`, &plan.Close{}},
		{`resume = true`, &plan.Resume{}},
		{`fork = "copy"`, &plan.Fork{As: "copy"}},
		{`inject = [{ role = "assistant", text = "t" }, { type = "reasoning" }]`, &plan.Inject{Items: []json.RawMessage{
			raw(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"t"}]}`), raw(`{"type":"reasoning"}`)}}},
		{`rpc = { method = "m", params = { a = 1 }, result = { x = "*" } }`,
			&plan.RPC{Method: "m", Params: raw(`{"a":1}`), Result: map[string]any{"x": "*"}}},
		{`exec = "ls"` + "\nexit = 3", &plan.Exec{Command: []string{"sh", "-c", "ls"}, Exit: 3}},
		{`exec = ["ls", "-l"]`, &plan.Exec{Command: []string{"ls", "-l"}}},
		{`write = { file = "a/b", text = "t" }`, &plan.Write{File: "a/b", Content: plan.Content{Text: "t"}}},
		{`edit = { rollout = true, line = 3, delete = true }`, &plan.Edit{Rollout: true, Line: 3, Delete: true}},
		{`expire = "close"`, &plan.Expire{Timer: "close"}},
	} {
		p := one(t, "[[reply]]\nto = \"any\"\nhold = \"g\"\ncall = { tool = \"t\" }\n[[step]]\nsend = \"x\"\n[[step]]\nrelease = \"g\"\n[[step]]\n"+tt.step+"\n")
		require.Empty(t, cmp.Diff(tt.want, p.Steps[2].Action), tt.step)
		require.Equal(t, "main", p.Steps[2].Agent)
		require.Equal(t, plan.Pos{File: "a.toml", Line: 9, Column: 1}, p.Steps[2].Pos)
	}
}

func TestTogetherAndGives(t *testing.T) {
	p := one(t, "[[reply]]\nto = \"turn\"\n[[agent]]\nname = \"b\"\n[[step]]\ntogether = [{ send = \"x\", gives = \"started\" }, { interrupt = true, agent = \"b\", gives = { error = \"no\" } }]\n")
	both := p.Steps[0].Action.(*plan.Together).Steps
	require.Equal(t, &plan.Gives{What: "started"}, both[0].Gives)
	require.Equal(t, &plan.Gives{Error: "no"}, both[1].Gives)
	require.Equal(t, []string{"main", "b"}, []string{both[0].Agent, both[1].Agent})
	require.Equal(t, []string{"main", "b"}, []string{p.Agents[0].Name, p.Agents[1].Name})
}

func TestExpectations(t *testing.T) {
	at := func(column int) plan.Pos { return plan.Pos{File: "a.toml", Line: 7, Column: column} }
	texts := func(list ...plan.Text) *plan.Texts { return &plan.Texts{List: list} }
	for _, tt := range []struct {
		expect string
		want   plan.Want
	}{
		{`compactions = { started = 2, aborted = 1 }`, &plan.Compactions{Started: ptr(2), Aborted: ptr(1)}},
		{`delivered = ["x"]`, texts(plan.Text{Pos: at(14), Text: "x"})},
		{`lost = []`, texts([]plan.Text{}...)},
		{`turns = 2`, &plan.Turns{Count: ptr(2)}},
		{`turns = ["failed"]`, &plan.Turns{List: []plan.Text{{Pos: at(10), Text: "failed"}}}},
		{`requests = { turn = 2, compaction = 0 }`, &plan.Requests{Counts: []plan.ClassCount{{Pos: at(14), Class: "turn", Count: 2}, {Pos: at(24), Class: "compaction"}}}},
		{`attempts = [{ class = "turn", attempt = 2, user = "x", contains = ["a"], lacks = "b", absent = "c", json = { d = 1 }, header = { e = "*" }, metadata = { f = "*" }, turn_state = "", model = "m", path = "/p", connection = 1, incremental = true }]`,
			&plan.Requests{List: []plan.RequestWant{{Pos: at(13), Class: "turn", Attempt: 2, User: []string{"x"}, Contains: []string{"a"}, Lacks: []string{"b"},
				Absent: []string{"c"}, JSON: map[string]any{"d": int64(1)}, Header: map[string]string{"e": "*"}, Metadata: map[string]any{"f": "*"},
				TurnState: ptr(""), Model: "m", Path: "/p", Connection: 1, Incremental: ptr(true)}}}},
		{`timeline = ["user: x", "…", "assistant (aborted): *", "tool: ls ok"]`, &plan.Timeline{Rows: []plan.Row{
			{Pos: at(13), Kind: "user", Text: "x", AsInFile: "user: x"}, {Pos: at(24), AnyRows: true, AsInFile: "…"},
			{Pos: at(31), Kind: "assistant", Aborted: true, Text: "*", AnyText: true, AsInFile: "assistant (aborted): *"},
			{Pos: at(57), Kind: "tool", Text: "ls ok", AsInFile: "tool: ls ok"}}}},
		{`lifecycle = ["running"]`, texts(plan.Text{Pos: at(14), Text: "running"})},
		{`errors = [{ text = "t", retry = true, code = "c" }]`, &plan.Errors{List: []plan.ErrorWant{{Pos: at(11), Text: "t", Retry: ptr(true), Code: "c"}}}},
		{`permissions = ["allowed"]`, texts(plan.Text{Pos: at(16), Text: "allowed"})},
		{`calls = { "turn/start" = 2, initialize = 0 }`, &plan.Calls{Counts: map[string]int{"turn/start": 2, "initialize": 0}}},
		{`largest = { input_bytes = 9 }`, &plan.Largest{InputBytes: 9}},
		{`sends = ["started"]`, texts(plan.Text{Pos: at(10), Text: "started"})},
		{`usage = [{ total = 1 }, {}]`, &plan.Usage{Turns: []plan.UsageWant{{Pos: at(10), Total: ptr(1)}, {Pos: at(25)}}}},
		{`connections = 1`, &plan.Connections{Count: ptr(1)}},
		{`connections = [2, 1]`, &plan.Connections{Requests: []int{2, 1}}},
		{`rollout = [{ type = "t", where = { "a.b" = 1 }, contains = "c", count = 0 }]`,
			&plan.RolloutWant{Lines: []plan.RolloutLine{{Pos: at(12), Type: "t", Where: map[string]any{"a.b": int64(1)}, Contains: "c", Count: ptr(0)}}}},
		{`budget = { compactions = 1, requests = 3 }`, &plan.Budget{Compactions: ptr(1), Requests: ptr(3)}},
	} {
		p := one(t, "[[reply]]\nto = \"turn\"\nsay = \"y\"\n[[step]]\nrun = \"x\"\n[expect]\n"+tt.expect+"\n")
		require.Len(t, p.Expect, 1)
		key, _, _ := strings.Cut(tt.expect, " ")
		require.Equal(t, plan.Expectation{Pos: at(1), Key: key, Value: tt.want}, p.Expect[0], tt.expect)
	}
}

func TestExpectationsOfOneAgentAndNow(t *testing.T) {
	p := one(t, "[[reply]]\nto = \"turn\"\n[[step]]\nrun = \"x\"\n[[step]]\nexpect = { turns = 1, agent = { main = { turns = 1 } } }\n[expect.agent.main]\nturns = 1\n")
	require.Equal(t, "agent.main.turns", p.Expect[0].Name())
	now := p.Steps[1].Action.(*plan.ExpectNow).Expect
	require.Equal(t, []string{"turns", "agent.main.turns"}, []string{now[0].Name(), now[1].Name()})
}

func TestWireRules(t *testing.T) {
	p := one(t, `[[wire]]
of = "turn/start"
what = "reply"
nth = 2
times = 1
agent = "main"
hold = "g"
keep_order = true
[[wire]]
of = "*"
repeat = { times = 2, hold = "h" }
[[wire]]
of = "a"
error = { code = -1, message = "m" }
[[wire]]
of = "a"
after = "b"
[[wire]]
of = "a"
join = "b"
`)
	at := func(line int) plan.Pos { return plan.Pos{File: "a.toml", Line: line, Column: 1} }
	require.Equal(t, []plan.WireRule{
		{Pos: at(1), Of: "turn/start", What: "reply", Nth: 2, Times: 1, Agent: "main", Hold: "g", KeepOrder: true},
		{Pos: at(9), Of: "*", Repeat: &plan.Repeat{Times: 2, Hold: "h"}},
		{Pos: at(12), Of: "a", Error: &plan.WireError{Code: -1, Message: "m"}},
		{Pos: at(15), Of: "a", After: "b"}, {Pos: at(18), Of: "a", Join: "b"},
	}, p.Wire)
}

func TestSetup(t *testing.T) {
	p := one(t, `subject = { command = ["node", "a.js"], env = { A = "b" } }
[provider]
kind = "azure"
login = "chatgpt"
transport = "websocket"
retries = { request = 1, stream = 2 }
idle_timeout = "1s"
models = [{ slug = "m" }]
meter = { start = 1, per_turn = 2 }
window = 3
upgrade = { status = 426, times = 1 }
[codex]
version = "0.159.1"
catalog = [{ slug = "m" }]
agents_md = "be brief"
home = { "hooks.json" = "{}" }
env = { X = "y" }
rollouts = [{ lines = [{ type = "session_meta" }] }]
[codex.config]
compact_prompt = "sum up"
[codex.features]
apps = false
[manager]
preset = "queue"
tool_default = "replace"
on_lost = "resend"
[workspace.files]
"a.txt" = "t"
[[agent]]
name = "main"
mode = "plan"
[realtime]
hold = "rt"
[limits]
deadline = "5s"
[invariants]
outside = false
[[step]]
release = "rt"
`)
	require.Equal(t, plan.Subject{Kind: "command", Command: []string{"node", "a.js"}, Env: map[string]string{"A": "b"}}, p.Subject)
	require.Equal(t, plan.Provider{Kind: "azure", Login: "chatgpt", Transport: "websocket", Retries: plan.Retries{Request: 1, Stream: 2}, IdleTimeout: time.Second}, p.Provider)
	require.Equal(t, plan.Axes{Transport: "websocket", Compaction: "remote-v2", Codex: "0.159.1"}, p.Axes)
	require.Equal(t, map[string]bool{"apps": false}, p.Codex.Features)
	require.Equal(t, map[string]plan.Content{"hooks.json": {Text: "{}"}}, p.Codex.Home)
	require.Equal(t, []json.RawMessage{raw(`{"type":"session_meta"}`)}, p.Codex.Rollouts[0].Lines)
	require.Equal(t, plan.Manager{Preset: "queue", ToolDefault: "replace", OnLost: "resend"}, p.Manager)
	require.Equal(t, map[string]plan.Content{"a.txt": {Text: "t"}}, p.Workspace.Files)
	require.Equal(t, "plan", p.Agents[0].Mode)
	require.Equal(t, 5*time.Second, p.Limits.Deadline)
	require.False(t, p.InvariantOn("outside"))
	require.True(t, p.InvariantOn("frames"))
	require.Equal(t, &mp.Script{
		Meter: &mp.Meter{Start: 1, PerTurn: 2}, Window: 3, CompactPrompt: "sum up", Models: []json.RawMessage{raw(`{"slug":"m"}`)},
		Realtime: &mp.Realtime{Hold: "rt"}, Upgrade: &mp.Upgrade{Status: 426, Times: 1},
	}, p.Script)
}

func TestIncludesAreLaidUnder(t *testing.T) {
	text := "include = [\"shared/a.toml\"]\n[[reply]]\nto = \"turn\"\ntimes = 1\nsay = \"own\"\n[codex.config]\na = 1\n[[step]]\nrun = \"x\"\n"
	fsys := fstest.MapFS{"dir/shared/a.toml": {Data: []byte("[[reply]]\nto = \"turn\"\nsay = \"theirs\"\n[codex.config]\na = 2\nb = 3\n[provider]\nkind = \"openai\"\n")}}
	f, faults := plan.Parse("dir/x.toml", []byte(text), fsys)
	require.Empty(t, faults)
	p := variants(t, f, plan.Options{})[0]
	require.Equal(t, []string{"own"}, p.Script.Replies[0].Say)
	require.Equal(t, []string{"theirs"}, p.Script.Replies[1].Say)
	require.Equal(t, map[string]any{"a": int64(1), "b": int64(3)}, p.Codex.Config)
	require.Equal(t, "openai", p.Provider.Kind)

	fsys["dir/shared/a.toml"].Data = []byte("[[reply]]\nto = \"trun\"\n[[step]]\nrun = \"y\"\n")
	_, faults = plan.Parse("dir/x.toml", []byte(text), fsys)
	require.Equal(t, `dir/shared/a.toml:2:6: there is no "trun"; did you mean "turn"?`, faults[0].String())
	require.Contains(t, faults[1].String(), `dir/shared/a.toml:3:1: an included file cannot have "step"`)
}
