package codex_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex/codextest"
	"github.com/heldstream/heldstream/internal/jsonrpc"
	mp "github.com/heldstream/heldstream/mockprovider"
)

// schemas are those that a codex prints of its own protocol.
type schemas struct {
	t    *testing.T
	dir  string
	made map[string]*jsonschema.Schema
}

func printedSchemas(t *testing.T) *schemas {
	t.Helper()
	bin := liveBinary(t)
	home := t.TempDir()
	dir := filepath.Join(home, "schemas")
	cmd := exec.Command(bin, "app-server", "generate-json-schema", "--experimental", "--out", dir)
	cmd.Env = []string{"HOME=" + home, "CODEX_HOME=" + home, "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil && bytes.Contains(out, []byte("--experimental")) {
		t.Skipf("this codex prints no schema of its experimental fields: %s", out)
	}
	require.NoError(t, err, string(out))
	return &schemas{t: t, dir: dir, made: map[string]*jsonschema.Schema{}}
}

// path is where a schema is; it may be of either generation. "": there is none.
func (s *schemas) path(name string) string {
	for _, sub := range []string{"", "v2", "v1"} {
		path := filepath.Join(s.dir, sub, name+".json")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

func (s *schemas) has(name string) bool { return s.path(name) != "" }

func (s *schemas) find(name string) *jsonschema.Schema {
	s.t.Helper()
	if s.made[name] != nil {
		return s.made[name]
	}
	require.True(s.t, s.has(name), "codex prints no schema named %s", name)
	schema, err := jsonschema.NewCompiler().Compile(s.path(name))
	require.NoError(s.t, err)
	s.made[name] = schema
	return schema
}

func (s *schemas) check(name string, raw []byte) {
	s.t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	require.NoError(s.t, err)
	if err := s.find(name).Validate(v); err != nil {
		s.t.Errorf("%s: %v\n%.600s", name, err, raw)
	}
}

// responseNames are the schemas of results whose name does not follow from the
// method.
var responseNames = map[string]string{
	"item/commandExecution/requestApproval": "CommandExecutionRequestApprovalResponse",
	"item/fileChange/requestApproval":       "FileChangeRequestApprovalResponse",
	"item/tool/requestUserInput":            "ToolRequestUserInputResponse",
}

func responseName(method string) string {
	if name := responseNames[method]; name != "" {
		return name
	}
	name := ""
	for _, part := range strings.Split(method, "/") {
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	return name + "Response"
}

// TestLiveSchemas holds all that is said in a busy session, both ways, against
// the schemas of the binary that it is said to.
func TestLiveSchemas(t *testing.T) {
	s := printedSchemas(t)
	r := newLiveRig(t, asksFirst,
		escalated("touch made"),
		mp.Reply{To: mp.AnyCompaction, Say: []string{"SUMMARY"}},
		mp.Reply{To: mp.Turn, Times: 1, Say: []string{"done"}, Think: &mp.Think{Summary: []string{"hm"}}},
		mp.Reply{To: mp.Turn, Match: mp.Match{User: &mp.Text{Contains: "send three"}}, Say: []string{"four"}},
		mp.Reply{To: mp.Turn, Holds: []mp.Hold{{Gate: "g"}}, Say: []string{"three"}})
	r.open(nil)
	r.send("send one")
	r.story.await("asked")
	r.do(agentcore.Respond{Request: r.asks[0], Response: agentcore.PermissionResponse{Allow: true}})
	r.story.await("ended T1 completed")
	r.do(agentcore.Compact{})
	r.story.await("ended T2 completed")
	r.do(agentcore.Set{Name: "mode", Value: "auto"})
	r.do(agentcore.Set{Name: "plan_mode", Value: true})
	r.do(agentcore.StartTurn{
		Prompt:   agentcore.Prompt{Text: "send two", Images: []agentcore.Image{{MIME: "image/png", Data: onePixel}}},
		ClientID: "c-send two",
		Options:  agentcore.RunOptions{OutputSchema: map[string]any{"type": "object", "properties": map[string]any{}}},
	})
	r.story.await("held g")
	r.steer("send three", "T3")
	r.story.await("answer 7")
	r.do(agentcore.InterruptTurn{})
	r.story.await("ended T3 interrupted")
	r.do(agentcore.ReadHistory{})
	r.do(agentcore.Fork{})
	r.story.await("answer 10 ")
	r.close()

	kinds := checkWire(s, r.wire)
	for _, want := range []string{
		"-> request thread/start", "-> request turn/start", "-> request turn/steer", "-> request turn/interrupt",
		"-> request thread/compact/start", "-> request thread/read", "-> request thread/fork",
		"-> reply item/commandExecution/requestApproval", "-> notification initialized",
		"<- notification item/completed", "<- notification turn/completed", "<- reply turn/start",
	} {
		require.True(t, kinds[want], "the session should have had a %s", want)
	}
}

// TestLiveFakeSchemas holds the fake app-server to the schemas of the binary
// that it stands for: all that it says by itself, and what is said to it.
func TestLiveFakeSchemas(t *testing.T) {
	s := printedSchemas(t)
	version, err := exec.Command(liveBinary(t), "--version").Output()
	require.NoError(t, err)
	server := &codextest.Server{Version: strings.TrimSpace(strings.TrimPrefix(string(version), "codex-cli "))}
	var wire []wireLine
	fake(t, server, func(r *fakeRig) {
		r.client.Hooks.Sent = func(_ string, line []byte) { wire = append(wire, wireLine{true, bytes.Clone(line)}) }
		r.client.Hooks.Received = func(_ string, line []byte) { wire = append(wire, wireLine{false, bytes.Clone(line)}) }
		fakeSession(r)
		if s.has("ThreadGoalSetResponse") {
			r.do(agentcore.Command{Name: "goal", Args: "set win"})
			r.do(agentcore.Command{Name: "goal", Args: "clear"})
			r.take()
		}
	})
	require.Empty(t, server.Unexpected())
	kinds := checkWire(s, wire)
	for method := range server.Defaults() {
		if s.has(responseName(method)) { // else this codex has no such call
			require.True(t, kinds["<- reply "+method], "the session should have had an answer to %s", method)
		}
	}
	for _, method := range []string{"thread/started", "turn/started", "turn/completed", "item/started", "item/completed", "item/agentMessage/delta"} {
		require.True(t, kinds["<- notification "+method], method)
	}
}

// fakeSession has the fake do all that it can.
func fakeSession(r *fakeRig) {
	archived := true
	r.server.Answers = map[string]codextest.Answer{"thread/resume": func(c codextest.Call) (any, *jsonrpc.Error) {
		if archived {
			archived = false
			return nil, &jsonrpc.Error{Code: jsonrpc.InvalidRequest, Message: "thread old is archived"}
		}
		return r.server.Defaults()["thread/resume"](c)
	}}
	resuming(r, "old", false)
	r.take()
	r.do(agentcore.CloseSession{})
	r.take()
	r.open(agentcore.SessionConfig{Model: "gpt-5.5", Mode: "auto", Cwd: "/workspace", Features: map[string]any{"plan_mode": true, "fast_mode": true}})
	r.do(agentcore.StartTurn{ClientID: "c1", Prompt: agentcore.Prompt{
		Text: "/one", Images: []agentcore.Image{{MIME: "image/png", Data: onePixel}},
		Attached: []agentcore.Attachment{{Kind: "mention", Name: "m", Path: "/m"}, {Kind: "skill", Name: "s", Path: "/s"}, {Kind: "text", Text: "t"}},
	}})
	r.take()
	r.server.Begin()
	r.server.Echo("u1", "c1", "one")
	r.server.Compaction("started", "k1")
	r.server.Compaction("completed", "k1")
	r.server.Say("m1", "hello")
	r.do(agentcore.SteerTurn{Turn: r.server.Turn(), Prompt: agentcore.Prompt{Text: "two"}, ClientID: "c2"})
	r.take()
	r.server.Complete()
	r.do(agentcore.Set{Name: "plan_mode", Value: false})
	r.do(agentcore.Set{Name: "fast_mode", Value: false})
	r.start("three")
	r.take()
	r.server.Begin()
	r.server.Fail("broken", "other")
	r.do(agentcore.Compact{})
	r.take()
	r.server.Autonomous()
	r.do(agentcore.InterruptTurn{})
	r.do(agentcore.ReadHistory{})
	r.do(agentcore.Fork{})
	r.take()
}

// checkWire checks every line, and says what kinds there were.
func checkWire(s *schemas, wire []wireLine) map[string]bool {
	kinds := map[string]bool{}
	methods := map[bool]map[string]string{true: {}, false: {}}
	for _, l := range wire {
		msg, err := jsonrpc.Parse(l.line)
		require.NoError(s.t, err)
		side, arrow := "Server", "<- "
		if l.sent {
			side, arrow = "Client", "-> "
		}
		kind, method := msg.Kind(), msg.Method
		switch kind {
		case jsonrpc.Request:
			methods[l.sent][string(msg.ID)] = msg.Method
			s.check(side+"Request", l.line)
		case jsonrpc.Notification:
			if !strings.HasPrefix(msg.Method, "codex/event/") {
				s.check(side+"Notification", l.line)
			}
		case jsonrpc.Reply:
			method = methods[!l.sent][string(msg.ID)]
			if msg.Error == nil {
				s.check(responseName(method), msg.Result)
			}
		}
		kinds[arrow+kind.String()+" "+method] = true
	}
	return kinds
}

// onePixel is the smallest PNG.
var onePixel = func() []byte {
	var b []byte
	_ = json.Unmarshal([]byte(`"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="`), &b)
	return b
}()
