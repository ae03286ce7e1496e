package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// TestTools: 13.Z1 commands, 13.Z2 long diffs, 13.Z3, 13.Z4, 13.Z5 and 13.Z6
// changes of files, 13.Z7 failures, 13.Z8 what is not known, 13.Z9 no id, 13.Z11 MCP.
func TestTools(t *testing.T) {
	command := func(cmd any, more map[string]any) map[string]any {
		m := map[string]any{"type": "commandExecution", "id": "i1", "command": cmd, "cwd": "/w", "status": "completed"}
		for k, v := range more {
			m[k] = v
		}
		return m
	}
	change := func(changes any, status string) map[string]any {
		return map[string]any{"type": "fileChange", "id": "i1", "changes": changes, "status": status}
	}
	mcp := func(tool string, args map[string]any, more map[string]any) map[string]any {
		m := map[string]any{"type": "mcpToolCall", "id": "i1", "server": "fs", "tool": tool, "arguments": args, "status": "completed"}
		for k, v := range more {
			m[k] = v
		}
		return m
	}
	long := strings.Repeat("é", 7000)
	for _, c := range []struct {
		name string
		item map[string]any
		want string
	}{
		{"command", command("ls", map[string]any{"exitCode": 0, "aggregatedOutput": "a\n"}), `shell completed shell "ls" out="a\n" exit=0`},
		{"wrapped", command(`/bin/bash -lc 'echo '\''hi'\'''`, nil), `shell completed shell "echo 'hi'"`},
		{"wrapped in double quotes", command(`bash -lc "echo \"$x\""`, nil), `shell completed shell "echo \"$x\""`},
		{"wrapped as a list", command([]any{"zsh", "-lc", "ls -l"}, nil), `shell completed shell "ls -l"`},
		{"two quoted words are no wrapper", command(`sh -c 'a' 'b'`, nil), `shell completed shell "'a' 'b'"`},
		{"envelope", command("ls", map[string]any{"aggregatedOutput": "Chunk ID: 1\nWall time: 0\nOutput:\nbody"}), `shell completed shell "ls" out="body"`},
		{"failed", command("ls", map[string]any{"status": "failed", "exitCode": 1}), `shell failed: Tool call failed shell "ls" exit=1`},
		{"declined", command("ls", map[string]any{"status": "declined"}), `shell failed: Tool call failed shell "ls"`},
		{"running", command("ls", map[string]any{"status": "inProgress"}), `shell running shell "ls"`},
		{"interrupted", command("ls", map[string]any{"status": "interrupted"}), `shell canceled shell "ls"`},
		{"no status, ended", command("ls", map[string]any{"status": ""}), `shell completed shell "ls"`},
		{"no id", map[string]any{"type": "commandExecution", "command": "ls"}, ""},

		{"add", change([]any{map[string]any{"path": "/w/a", "kind": map[string]any{"type": "add"}, "diff": "one\n"}}, "completed"), "apply_patch completed edit path=/w/a diff=--- /dev/null|+++ b/w/a|+one|"},
		{"update", change([]any{map[string]any{"path": "a", "kind": map[string]any{"type": "update"}, "diff": "@@ -1 +1 @@\n-a\n+b\n"}}, "completed"), "apply_patch completed edit path=a diff=--- a/a|+++ b/a|@@ -1 +1 @@|-a|+b|"},
		{"delete", change([]any{map[string]any{"path": "a", "kind": "delete", "diff": "old"}}, "completed"), "apply_patch completed edit path=a diff=--- a/a|+++ /dev/null|-old|"},
		{"delete without content", change([]any{map[string]any{"path": "a", "kind": "delete"}}, "completed"), "apply_patch completed edit path=a diff=--- a/a|+++ /dev/null|"},
		{"first of several", change([]any{map[string]any{"path": "a", "diff": "@@ x"}, map[string]any{"path": "b", "diff": "@@ y"}}, "completed"), "apply_patch completed edit path=a diff=--- a/a|+++ b/a|@@ x"},
		{"files", change(map[string]any{"files": []any{map[string]any{"file_path": "a", "patch": "@@ x"}}}, "completed"), "apply_patch completed edit path=a diff=--- a/a|+++ b/a|@@ x"},
		{"one", change(map[string]any{"filePath": "a", "unifiedDiff": "@@ x"}, "completed"), "apply_patch completed edit path=a diff=--- a/a|+++ b/a|@@ x"},
		{"by path", change(map[string]any{"a": map[string]any{"type": "add", "content": "x"}}, "completed"), "apply_patch completed edit path=a diff=--- /dev/null|+++ b/a|+x|"},
		{"envelope of a patch", change([]any{map[string]any{"path": "a", "diff": "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch"}}, "completed"), "apply_patch completed edit path=a diff=--- a/a|+++ b/a|@@|-x|+y|"},
		{"path only, over", change([]any{map[string]any{"path": "a"}}, "completed"), "apply_patch completed unknown path=a"},
		{"nothing", change([]any{}, "completed"), "apply_patch completed unknown"},
		{"too long", change([]any{map[string]any{"path": "a", "diff": long}}, "completed"), "apply_patch completed edit path=a diff=" + strings.Repeat("é", 6000) + "|...[truncated 2000 chars]"},

		{"mcp", mcp("frob", map[string]any{"x": 1}, nil), "fs.frob completed unknown"},
		{"mcp read", mcp("read_file", map[string]any{"path": "a"}, map[string]any{"result": map[string]any{"content": []any{map[string]any{"type": "text", "text": "body"}}}}), "fs.read_file completed read path=a content=body"},
		{"mcp write", mcp("write_file", map[string]any{"path": "a", "content": "c"}, nil), "fs.write_file completed write path=a content=c"},
		{"mcp search", mcp("search", map[string]any{"query": "q"}, nil), "fs.search completed search query=q"},
		{"mcp error", mcp("frob", nil, map[string]any{"error": map[string]any{"message": "no"}}), "fs.frob failed: no unknown"},
		{"web", map[string]any{"type": "webSearch", "id": "i1", "query": "q"}, "web_search completed search query=q"},
		{"dynamic", map[string]any{"type": "dynamicToolCall", "id": "i1", "tool": "mine", "status": "completed"}, "mine completed unknown"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fake(t, newServer(), func(r *fakeRig) {
				var got string
				r.running()
				r.detail = func(i timeline.Item) { got = toolLine(i) }
				r.server.Item("completed", c.item)
				r.take()
				require.Equal(t, c.want, got)
			})
		})
	}
}

func toolLine(i timeline.Item) string {
	line := i.Name + " " + string(i.Status)
	if i.Error != "" {
		line += ": " + i.Error
	}
	line += " " + i.Detail.Kind
	if i.Detail.Command != "" {
		line += fmt.Sprintf(" %q", i.Detail.Command)
	}
	for _, f := range []struct{ name, text string }{
		{"path", i.Detail.Path}, {"content", i.Detail.Content}, {"query", i.Detail.Query}, {"diff", strings.ReplaceAll(i.Detail.Diff, "\n", "|")},
	} {
		if f.text != "" {
			line += " " + f.name + "=" + f.text
		}
	}
	if i.Detail.Output != "" {
		line += fmt.Sprintf(" out=%q", i.Detail.Output)
	}
	if i.Detail.ExitCode != nil {
		line += fmt.Sprintf(" exit=%d", *i.Detail.ExitCode)
	}
	return line
}

func TestToolGrows(t *testing.T) {
	fake(t, newServer(), func(r *fakeRig) {
		r.running()
		var outs []string
		r.detail = func(i timeline.Item) { outs = append(outs, string(i.Status)+" "+i.Detail.Output) }
		r.server.Item("started", map[string]any{"type": "commandExecution", "id": "i1", "command": "ls", "status": "inProgress"})
		for _, d := range []string{"a", "b"} {
			r.server.Notify("item/commandExecution/outputDelta", map[string]any{"turnId": "turn-1", "itemId": "i1", "delta": d})
		}
		r.server.Complete()
		r.take()
		late := map[string]any{"type": "commandExecution", "id": "i1", "command": "ls", "status": "completed"}
		r.server.Notify("item/completed", map[string]any{"turnId": "turn-1", "item": late})
		r.server.Notify("item/commandExecution/outputDelta", map[string]any{"turnId": "turn-1", "itemId": "i1", "delta": "c"})
		r.take()
		require.Equal(t, []string{"running ", "running a", "running ab", "completed ab"}, outs, "a process that outlives its turn ends its row")
		r.do(agentcore.ReadHistory{})
	})
}

// TestBackgroundCommandDiesWithItsProcess: nobody else would end its row; the
// calls of an open turn end with that.
func TestBackgroundCommandDiesWithItsProcess(t *testing.T) {
	fake(t, newServer(), func(r *fakeRig) {
		command := func(id string) {
			r.server.Item("started", map[string]any{"type": "commandExecution", "id": id, "command": id, "status": "inProgress"})
		}
		r.running()
		command("dig")
		r.server.Complete()
		r.start("two")
		r.take()
		r.server.Begin()
		command("fill")
		r.take()
		r.server.Crash(codex.Exit{Code: 1})
		r.expect(`item tool shell canceled "dig"`, `ended turn-2 failed Codex app-server exited with code 1 dropped=["c-two"]`)
	})
}
