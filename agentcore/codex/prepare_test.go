package codex_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/codextest"
)

// skilled has one skill that may be used and one that may not.
func skilled() *codextest.Server {
	skills := []any{
		map[string]any{"name": "greet", "path": "/s/greet", "enabled": true},
		map[string]any{"name": "off", "path": "/s/off", "enabled": false},
	}
	return &codextest.Server{Answers: map[string]codextest.Answer{
		"skills/list": answers(map[string]any{"data": []any{map[string]any{"skills": skills}}}),
		"config/read": answers(map[string]any{"config": map[string]any{"sandbox_workspace_write": map[string]any{
			"writable_roots": []any{"/more"}, "network_access": true,
		}}}),
	}}
}

// reply answers the first call that the server was silent about.
func (r *fakeRig) reply(method string, result any) { r.replyTo(0, method, result) }

func (r *fakeRig) replyTo(n int, method string, result any) {
	r.server.Print(string(codextest.Reply(r.server.Calls(method)[n].ID, result)))
}

// skillsAt is an answer to skills/list: one skill, at a path.
func skillsAt(path string) any {
	skill := map[string]any{"name": "greet", "path": path, "enabled": true}
	return map[string]any{"data": []any{map[string]any{"skills": []any{skill}}}}
}

// TestPrepare: what a turn needs to know of codex is asked for when the first
// turn needs it, and never stands in its way.
func TestPrepare(t *testing.T) {
	asking := func(r *fakeRig) {
		r.open(agentcore.SessionConfig{})
		r.start("/greet")
		r.take()
	}
	table(t, []row{
		{
			name:   "the configuration, once a process",
			server: skilled(),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{Mode: "auto", Cwd: "/w"})
				r.start("one")
				r.take()
				r.server.Begin()
				r.server.Complete()
				r.start("two")
				r.take()
				require.JSONEq(r.t, `{"cwd":"/w"}`, string(r.server.Calls("config/read")[0].Params))
				require.Len(r.t, r.server.Calls("config/read"), 1)
				require.Contains(r.t, string(r.server.Calls("turn/start")[1].Params),
					`"sandboxPolicy":{"networkAccess":true,"type":"workspaceWrite","writableRoots":["/more"]}`)
			},
		},
		{
			name:   "the skills, again once they have changed",
			server: skilled(),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				for _, text := range []string{"/greet a", "/greet b"} {
					r.start(text)
					r.take()
					r.server.Begin()
					r.server.Complete()
				}
				r.take()
				require.Len(r.t, r.server.Calls("skills/list"), 1)
				r.server.Notify("skills/changed", nil)
				r.start("/greet c")
				r.take()
				require.Len(r.t, r.server.Calls("skills/list"), 2)
			},
		},
		{
			name:   "refused: the turn starts without",
			server: refusing("skills/list", -32601, "what?"),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.start("/greet")
			},
			want: []string{"opened thread-1", "answer 1 turn-1"},
		},
		{
			name:   "never answered: the same, after a while",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				asking(r)
				r.clock.expire(codex.TimerStart)
			},
			want: []string{"answer 1 turn-1"},
		},
		{
			name:   "interrupted meanwhile: 13.U11, the start never reaches codex",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				asking(r)
				r.do(agentcore.InterruptTurn{})
				r.take()
				r.reply("skills/list", map[string]any{})
				r.take()
				require.Empty(r.t, r.server.Calls("turn/start"))
				r.start("two")
			},
			want: []string{"answer 3 turn-1"},
		},
		{
			name:   "codex begins a turn of its own meanwhile: 13.U9, who may start is looked at again",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				asking(r)
				r.server.Autonomous()
				r.reply("skills/list", map[string]any{})
			},
			want: []string{"started turn-1", "answer 1 error: a foreground turn is already active"},
		},
		{
			name:   "codex dies meanwhile",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				asking(r)
				r.server.Crash(codex.Exit{Code: 3})
			},
			want: []string{"answer 1 error: Codex app-server exited with code 3"},
		},
		{
			name:   "what comes meanwhile waits for the turn, or is refused",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				asking(r)
				r.start("two")
				r.steer("three")
				r.expect("answer 2 error: a foreground turn is already active")
				r.reply("skills/list", map[string]any{})
				r.expect("answer 1 turn-1")
				r.server.Begin()
			},
			want: []string{"started turn-1", "answer 3 turn-1"},
		},
	})
}

// TestPrepareJoins: a start that finds its question under way waits for the
// answer to it, though the start that asked was taken back.
func TestPrepareJoins(t *testing.T) {
	again := func(r *fakeRig, mode string) {
		r.t.Helper()
		r.open(agentcore.SessionConfig{Mode: mode})
		r.start("/greet a")
		r.expect("opened thread-1")
		r.do(agentcore.InterruptTurn{})
		r.start("/greet b")
		r.expect("answer 1 error: codex turn start was interrupted before reaching Codex", "answer 2")
	}
	started := func(r *fakeRig) string {
		r.t.Helper()
		r.expect("answer 3 turn-1")
		require.Len(r.t, r.server.Calls("turn/start"), 1)
		return string(r.server.Calls("turn/start")[0].Params)
	}
	table(t, []row{
		{
			name:   "the configuration",
			server: silent("config/read"),
			do: func(r *fakeRig) {
				again(r, "auto")
				require.Empty(r.t, r.server.Calls("turn/start"))
				r.reply("config/read", map[string]any{"config": map[string]any{"sandbox_workspace_write": map[string]any{
					"writable_roots": []any{"/more"}, "network_access": true,
				}}})
				require.Contains(r.t, started(r), `"sandboxPolicy":{"networkAccess":true,"type":"workspaceWrite","writableRoots":["/more"]}`)
				require.Len(r.t, r.server.Calls("config/read"), 1)
				require.Len(r.t, r.server.Calls("skills/list"), 1)
			},
		},
		{
			name:   "the skills",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				again(r, "")
				r.reply("skills/list", skillsAt("/s"))
				require.Contains(r.t, started(r), `{"name":"greet","path":"/s","type":"skill"}`)
				require.Len(r.t, r.server.Calls("skills/list"), 1)
			},
		},
		{
			name:   "never answered: it starts without",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				again(r, "")
				r.clock.expire(codex.TimerStart)
				require.Contains(r.t, started(r), `"text":"/greet b"`)
			},
		},
		{
			name:   "codex dies: it fails once",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				again(r, "")
				r.server.Crash(codex.Exit{Code: 3})
			},
			want: []string{"answer 3 error: Codex app-server exited with code 3"},
		},
		{
			name:   "the next process is asked anew",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				again(r, "")
				r.server.Crash(codex.Exit{Code: 3})
				r.take()
				r.start("/greet c")
				r.take()
				r.replyTo(1, "skills/list", skillsAt("/s"))
				r.expect("answer 4 turn-1")
			},
		},
		{
			name:   "the skills change: the answer that comes then is no longer true",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				again(r, "")
				r.server.Notify("skills/changed", nil)
				r.reply("skills/list", skillsAt("/old"))
				r.take()
				require.Empty(r.t, r.server.Calls("turn/start"))
				r.replyTo(1, "skills/list", skillsAt("/new"))
				require.Contains(r.t, started(r), `{"name":"greet","path":"/new","type":"skill"}`)
				require.Len(r.t, r.server.Calls("skills/list"), 2)
			},
		},
		{
			name:   "the skills change: nor is an answer that comes after the new one",
			server: silent("skills/list"),
			do: func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.start("/greet a")
				r.take()
				r.do(agentcore.InterruptTurn{})
				r.server.Notify("skills/changed", nil)
				r.take()
				r.start("/greet b")
				r.take()
				r.replyTo(1, "skills/list", skillsAt("/new"))
				r.take()
				r.server.Begin()
				r.server.Complete()
				r.reply("skills/list", skillsAt("/old"))
				r.take()
				r.start("/greet c")
				r.take()
				require.Contains(r.t, string(r.server.Calls("turn/start")[1].Params), `{"name":"greet","path":"/new","type":"skill"}`)
				require.Len(r.t, r.server.Calls("skills/list"), 2)
			},
		},
	})
}

// TestInput: 13.Y8.
func TestInput(t *testing.T) {
	text := func(s string) string { return `{"type":"text","text":"` + s + `","text_elements":[]}` }
	const skill = `{"type":"skill","name":"greet","path":"/s/greet"}`
	image := agentcore.Image{MIME: "image/png", Data: []byte("dots")}
	notes := agentcore.Attachment{Kind: "text", Text: "notes"}
	for _, c := range []struct {
		name   string
		prompt agentcore.Prompt
		want   string
	}{
		{"text", agentcore.Prompt{Text: "one"}, text("one")},
		{"picture", agentcore.Prompt{Images: []agentcore.Image{image}}, `{"type":"image","url":"data:image/png;base64,ZG90cw=="}`},
		{"text and picture", agentcore.Prompt{Text: "one", Images: []agentcore.Image{image}}, text("one") + `,{"type":"image","url":"data:image/png;base64,ZG90cw=="}`},
		{"attached after a blank line", agentcore.Prompt{Text: "one", Attached: []agentcore.Attachment{notes, notes}}, text(`one\n\nnotes\n\nnotes`)},
		{"attached alone", agentcore.Prompt{Attached: []agentcore.Attachment{notes}}, text("notes")},
		{"mention", agentcore.Prompt{Text: "one", Attached: []agentcore.Attachment{{Kind: "mention", Name: "docs", Path: "app://docs"}}}, `{"type":"mention","name":"docs","path":"app://docs"},` + text("one")},
		{"skill by its name", agentcore.Prompt{Text: " /greet the  world "}, skill + "," + text("the  world")},
		{"skill alone", agentcore.Prompt{Text: "/greet"}, skill},
		{"skill that is switched off", agentcore.Prompt{Text: "/off we go"}, text("/off we go")},
		{"no skill", agentcore.Prompt{Text: "/greetings all"}, text("/greetings all")},
		{"a slash", agentcore.Prompt{Text: "/ or not"}, text("/ or not")},
		{"a path", agentcore.Prompt{Text: "/greet/x"}, text("/greet/x")},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake(t, skilled(), func(r *fakeRig) {
				r.open(agentcore.SessionConfig{})
				r.do(agentcore.StartTurn{Prompt: c.prompt, ClientID: "c"})
				r.take()
				var p struct{ Input json.RawMessage }
				require.NoError(t, json.Unmarshal(r.server.Calls("turn/start")[0].Params, &p))
				require.JSONEq(t, "["+c.want+"]", string(p.Input))
			})
		})
	}
}
