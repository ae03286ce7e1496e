package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestJSONHasTheMembersOfTheContract(t *testing.T) {
	var b strings.Builder
	require.NoError(t, WriteJSON(&b, Result{
		Scenario: "compaction/issue-5728", Variant: Variant{{"z", "<1>"}, {"a", "2"}}, Verdict: Fail,
		Codex: Codex{"live", "0.171.0"}, Duration: 412*time.Millisecond + 900*time.Microsecond,
		Compactions: Compactions{3, 1, 2}, Requests: map[string]int{"turn": 3, "compaction": 1},
		Delivered: []string{"first turn"},
		Failures:  []Failure{{File: "f.toml", Line: 52, What: "compactions", Want: "1", Got: "3"}},
	}))
	require.Equal(t, `{"scenario":"compaction/issue-5728","variant":{"z":"\u003c1\u003e","a":"2"},"verdict":"fail",`+
		`"codex":{"mode":"live","version":"0.171.0"},"duration_ms":412,`+
		`"compactions":{"started":3,"completed":1,"aborted":2},"requests":{"compaction":1,"turn":3},`+
		`"delivered":["first turn"],"lost":[],`+
		`"failures":[{"file":"f.toml","line":52,"what":"compactions","want":"1","got":"3"}]}`+"\n", b.String())
}

func TestJSONHasNoNull(t *testing.T) {
	var b strings.Builder
	require.NoError(t, WriteJSON(&b, Result{Scenario: "a", Verdict: Skip}))
	require.NotContains(t, b.String(), "null")
}

func TestJSONActsOnNothing(t *testing.T) {
	text := "\x1b[31m \u202e \u009b \U000e0041 ##[error] ##vso[x] \x7f é"
	var b strings.Builder
	require.NoError(t, WriteJSON(&b, Result{Scenario: "a", Delivered: []string{text}}))
	for _, r := range strings.TrimSuffix(b.String(), "\n") {
		require.True(t, r >= ' ' && r < 0x7f || r == 'é', "%q", r)
	}
	require.NotContains(t, b.String(), "##")
	var back struct{ Delivered []string }
	require.NoError(t, json.Unmarshal([]byte(b.String()), &back))
	require.Equal(t, []string{text}, back.Delivered)
}
