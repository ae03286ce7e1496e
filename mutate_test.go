package heldstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mutations are faults planted into our own code, one an area of the library at
// least: each must be found by the scenario that is named beside it. old stands
// exactly once in its file.
var mutations = []struct {
	area, scenario, set, what string
	file, old, new            string
}{
	{"agents", "agents/chain", "", "the manager's tool has another name",
		"agentcore/mcp/tools.go", `"send_agent_prompt"`, `"send_agent_prompts"`},
	{"compaction", "compaction/issue-5728", "send=steer", "the manager replaces where it should steer",
		"agentcore/policy.go", `"steer": {Behavior: Steer,`, `"steer": {Behavior: Replace,`},
	{"compaction-v2", "compaction-v2/trigger", "", "the provider takes a remote compaction for a turn",
		"mockprovider/class.go", `return CompactionV2, "compaction_trigger item"`, `return Turn, "compaction_trigger item"`},
	{"framing", "framing/framings", "", "an event is not closed by a blank line",
		"internal/sse/sse.go", "return append(b, eol...)", "return b"},
	{"language", "language/words", "", "the adapter takes the output's tokens for cached ones",
		"agentcore/codex/notify.go", "CachedInput: last.CachedInputTokens", "CachedInput: last.OutputTokens"},
	{"lifecycle", "lifecycle/killed-while-idle", "", "a new codex begins anew instead of resuming",
		"agentcore/codex/handshake.go", `TimerStart, "thread/resume", params, done)`, `TimerStart, "thread/start", params, done)`},
	{"models", "models/catalog-limit", "", "codex is not told of the catalog",
		"agentcore/codex/home.go", `conf["model_catalog_json"]`, `conf["model_catalog_none"]`},
	{"policies", "policies/sends-amid-compaction", "preset=queue", "a queued prompt is let in at once",
		"agentcore/machine_send.go", "	case Queue:\n		if m.occupied() {", "	case Queue:\n		if false {"},
	{"prompts", "prompts/skill", "", "the adapter does not find a skill by its name",
		"agentcore/codex/prepare.go", "m.known.skills[name]", `m.known.skills["/"+name]`},
	{"public", "public/retry-notice-is-not-fatal", "", "the adapter does not say that codex tries again",
		"agentcore/codex/notify.go", "Retry: p.WillRetry,", "Retry: false,"},
	{"steer", "steer/waits-for-the-start", "preset=steer", "a steer does not wait for a turn that starts",
		"agentcore/policy.go", "{Behavior: Steer, WaitForStart: true,", "{Behavior: Steer, WaitForStart: false,"},
	{"steer", "steer/accepted-before-output", "preset=steer", "output is shown while a steer waits for its answer",
		"agentcore/machine_steer.go", "m.barrier = true", "m.barrier = false"},
	{"streams", "streams/at-capacity", "", "the adapter drops the code of an error",
		"agentcore/codex/notify.go", "Code: p.Error.code(),", `Code: "",`},
	{"subjects", "subjects/exec", "", "the body of an error status is lost",
		"mockprovider/answer.go", "[]byte(expand(r.Body, a.expand))", `[]byte("{}")`},
	{"tools", "tools/approval-accepted", "", "the adapter declines what was approved",
		"agentcore/codex/asks.go", `return map[string]any{"decision": "accept"}`, `return map[string]any{"decision": "decline"}`},
	{"tools", "tools/question-in-plan-mode", "", "the adapter answers another question than was asked",
		"agentcore/codex/asks.go", "answers[q.ID] = ", `answers["other"] = `},
	{"websocket", "websocket/tool-chain", "", "the provider forgets the responses of a connection",
		"mockprovider/websocket.go", "q.past = c.past.get(q.previous)", "q.past = nil"},
}

const mutationsPage = "doc/mutations.md"

// The page lists the same faults, and each can still be planted.
func TestMutationsAreListed(t *testing.T) {
	page, err := os.ReadFile(mutationsPage)
	require.NoError(t, err)
	var rows strings.Builder
	for _, m := range mutations {
		code, err := os.ReadFile(m.file)
		require.NoError(t, err)
		require.Equal(t, 1, strings.Count(string(code), m.old), "%s: the fault %q has no place any more", m.file, m.what)
		require.FileExists(t, filepath.Join("scenarios", m.scenario+".toml"))
		fmt.Fprintf(&rows, "| %s | %s | `%s` | `%s` |\n", m.area, m.what, m.file, strings.TrimSpace(m.scenario+" "+m.set))
	}
	require.Contains(t, string(page), rows.String(), "%s must have these rows:\n%s", mutationsPage, rows.String())
}

func TestEveryAreaHasAMutation(t *testing.T) {
	areas, err := os.ReadDir("scenarios")
	require.NoError(t, err)
	has := map[string]bool{"failing": true} // it judges the runner itself
	for _, m := range mutations {
		has[m.area] = true
	}
	for _, area := range areas {
		if area.IsDir() {
			require.True(t, has[area.Name()], "no fault is planted for scenarios/%s", area.Name())
		}
	}
}

// Each fault is planted by the compiler's overlay, so the tree stays as it is,
// and its scenario is played live: it must fail, and without the fault it passes.
func TestPlantedFaultsAreFound(t *testing.T) {
	if os.Getenv("HELDSTREAM_MUTATE") != "1" {
		t.Skip("builds and plays the library's faults: make mutate")
	}
	sound := build(t, "")
	for _, m := range mutations {
		t.Run(m.area, func(t *testing.T) {
			require.Equal(t, 0, playWith(t, sound, m.scenario, m.set), "it must pass without the fault")
			require.Equal(t, 1, playWith(t, build(t, overlay(t, m.file, m.old, m.new)), m.scenario, m.set), "it must fail: %s", m.what)
		})
	}
}

func overlay(t *testing.T, file, old, new string) string {
	code, err := os.ReadFile(file)
	require.NoError(t, err)
	dir := t.TempDir()
	mutant := filepath.Join(dir, filepath.Base(file))
	require.NoError(t, os.WriteFile(mutant, []byte(strings.Replace(string(code), old, new, 1)), 0o600))
	abs, err := filepath.Abs(file)
	require.NoError(t, err)
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: mutant}})
	require.NoError(t, err)
	path := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(path, list, 0o600))
	return path
}

func build(t *testing.T, overlay string) string {
	bin := filepath.Join(t.TempDir(), "replay")
	out, err := exec.Command("go", "build", "-overlay", overlay, "-o", bin, "./cmd/replay").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return bin
}

// playWith returns the exit code of a run.
func playWith(t *testing.T, bin, scenario, set string) int {
	args := []string{"run", "--codex", "live", "--deadline", "20s", "scenarios/" + scenario + ".toml"}
	if set != "" {
		args = append(args, "--set", set)
	}
	out, err := exec.Command(bin, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		t.Logf("%s", out)
		return exit.ExitCode()
	}
	return 0
}
