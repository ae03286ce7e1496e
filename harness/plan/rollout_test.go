package plan_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/mockprovider"
)

func TestNewIsRight(t *testing.T) {
	f, faults := plan.Parse("mine.toml", plan.New("mine.toml"), nil)
	require.Empty(t, faults)
	require.Len(t, variants(t, f, plan.Options{}), 1)
}

func fromRollout(t *testing.T) (string, *plan.Plan) {
	t.Helper()
	in, err := os.Open("testdata/rollout.jsonl")
	require.NoError(t, err)
	defer in.Close()
	text, err := plan.FromRollout(in)
	require.NoError(t, err)
	f, faults := plan.Parse("rollout.toml", text, nil)
	require.Empty(t, faults, "%s", text)
	return string(text), variants(t, f, plan.Options{})[0]
}

func TestRolloutPlaysTheSameConversation(t *testing.T) {
	_, p := fromRollout(t)
	var said []string
	for _, r := range p.Script.Replies {
		said = append(said, string(r.To)+": "+strings.Join(r.Say, ""))
	}
	require.Equal(t, []string{"turn: Let me look.", "turn: The key is TOKEN.", "compaction: SUMMARY", "turn: (no answer was recorded)"}, said)
	require.Equal(t, []string{"I will list the files."}, p.Script.Replies[0].Think.Summary)
	calls := p.Script.Replies[0].Call
	require.Equal(t, mockprovider.Call{Tool: "exec_command", Args: calls[0].Args}, calls[0])
	require.JSONEq(t, `{"cmd":"true","yield_time_ms":1000000}`, string(calls[0].Args))
	require.Equal(t, "*** Begin Patch\n*** Add File: a.go\n+token = \"SECRET\"\n*** End Patch", calls[1].Input)

	var steps []string
	for _, s := range p.Steps {
		steps = append(steps, s.Action.Name())
	}
	require.Equal(t, []string{"run", "compact", "await", "run"}, steps)
	require.Equal(t, "My password: SECRET is in $ {HOME}/x.\nAsk \"user@example.com\" about C:\\Users\\user and ${workspace}/a.go.",
		p.Steps[0].Action.(*plan.Run).Text)
}

func TestRolloutKeepsSecretsToItself(t *testing.T) {
	text, _ := fromRollout(t)
	for _, secret := range []string{"hunter22", "alice", "bob", "corp.io", "ghp_", "sk-abc", "rm -rf", "gAAA"} {
		require.NotContains(t, text, secret)
	}
}

func TestSecrets(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "PRIVATE-KEY"},
		{"eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln", "TOKEN"},
		{"AKIAABCDEFGHIJKLMNOP", "TOKEN"}, {"sk-proj-abcdefghijkl", "TOKEN"}, {"github_pat_11ABCDEFG0123456789", "TOKEN"},
		{"Authorization: Bearer abc.def-123456", "Authorization: SECRET TOKEN"},
		{"OPENAI_API_KEY=abcd1234", "OPENAI_API_KEY=SECRET"}, {"{'password': 'hunter22'}", "{'password': 'SECRET'}"},
		{"postgres://bob:pass@db/x", "postgres://user:SECRET@db/x"}, {"0123456789abcdef0123456789abcdef", "HEX"},
		{"/Users/bob/x /home/eve/y", "/home/user/x /home/user/y"}, {"a plain sentence: nothing here", "a plain sentence: nothing here"},
	} {
		line, err := json.Marshal(map[string]any{"type": "response_item", "payload": map[string]any{
			"type": "message", "role": "user", "content": []map[string]string{{"text": tt.in}}}})
		require.NoError(t, err)
		text, err := plan.FromRollout(bytes.NewReader(line))
		require.NoError(t, err)
		f, faults := plan.Parse("r.toml", text, nil)
		require.Empty(t, faults)
		require.Equal(t, tt.want, variants(t, f, plan.Options{})[0].Steps[0].Action.(*plan.Run).Text)
	}
}

func TestRolloutFaults(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", "the rollout has no prompt of a user"},
		{"{}\nnot json\n", "line 2 is no record of a rollout"},
		{`{"type":"response_item","payload":{"type":"message","content":5}}`, "no prompt of a user"},
		{strings.Repeat("x", 17<<20), "cannot be read"},
	} {
		_, err := plan.FromRollout(strings.NewReader(tt.in))
		require.ErrorContains(t, err, tt.want)
	}
}
