package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

func writeRollout(t *testing.T, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(codex.RolloutPath("t1"), "sessions/")))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	return dir
}

// TestReadRollout: 13.Z12.
func TestReadRollout(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{
			"a conversation, told twice",
			[]string{
				`{"type":"session_meta","payload":{"id":"t1"}}`,
				`{"type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"rules"}]}}`,
				`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]}}`,
				`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /w"}]}}`,
				`{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}}`,
				`{"type":"event_msg","payload":{"type":"user_message","message":"hi"}}`,
				`{"type":"response_item","payload":{"type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}]}}`,
				`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hello"}]}}`,
				`{"type":"event_msg","payload":{"type":"agent_message","message":"hello"}}`,
				`{"type":"compacted","payload":{"message":""}}`,
				`this line is broken`,
				`{"type":"event_msg","payload":{"type":"agent_message","message":"the end"}}`,
			},
			[]string{"user hi", "thought a\n\nb", "assistant hello", "compaction", "assistant the end"},
		},
		{
			"commands with their outputs",
			[]string{
				`{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"ls\",\"workdir\":\"/w\"}","call_id":"c1"}}`,
				`{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"top\"]}","call_id":"c2"}}`,
				`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nWall time: 0\nProcess exited with code 2\nOutput:\nno file"}}`,
				`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c2","output":"Chunk ID: 2\nProcess running with session ID 7\nOutput:\n"}}`,
				`{"type":"response_item","payload":{"type":"function_call","name":"write_stdin","arguments":"{\"session_id\":7,\"chars\":\"q\"}","call_id":"c3"}}`,
				`{"type":"response_item","payload":{"type":"function_call","name":"write_stdin","arguments":"{\"session_id\":8,\"chars\":\"q\"}","call_id":"c4"}}`,
				`{"type":"response_item","payload":{"type":"function_call","name":"nameless","arguments":"{}"}}`,
				`{"type":"response_item","payload":{"type":"function_call_output","call_id":"c9","output":"of nobody"}}`,
			},
			[]string{"tool shell ls => no file", "tool shell top", "tool terminal top", "tool terminal "},
		},
		{
			"a patch",
			[]string{
				`{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: a.txt\n+one\n*** End Patch","call_id":"c1"}}`,
			},
			[]string{"tool apply_patch a.txt\n--- /dev/null\n+++ b/a.txt\n+one\n"},
		},
		{
			"shapes of old versions",
			[]string{
				`{"type":"response_item","item":{"type":"message","role":"user","content":[{"text":"hi"}]}}`,
				`{"type":"event_msg","msg":{"type":"agent_message","message":"ho"}}`,
				`{"items":[{"type":"message","role":"user","content":[{"text":"all in one"}]}]}`,
			},
			[]string{"user hi", "assistant ho", "user all in one"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			items, err := codex.ReadRollout(writeRollout(t, c.lines...), "t1")
			require.NoError(t, err)
			var got []string
			for _, i := range items {
				got = append(got, historyLine(i.Item))
			}
			require.Equal(t, c.want, got)
		})
	}
}

func historyLine(i timeline.Item) string {
	switch i.Kind {
	case timeline.Tool:
		line := "tool " + i.Name + " " + i.Detail.Command + i.Detail.Path
		if i.Detail.Output != "" {
			line += " => " + i.Detail.Output
		}
		if i.Detail.Diff != "" {
			line += "\n" + i.Detail.Diff
		}
		return line
	case timeline.Compaction:
		return "compaction"
	}
	return string(i.Kind) + " " + i.Text
}

func TestReadRolloutOfNobody(t *testing.T) {
	_, err := codex.ReadRollout(t.TempDir(), "t1")
	require.ErrorContains(t, err, "no rollout file of thread t1")
	_, err = codex.ReadRollout(t.TempDir(), "../../etc")
	require.ErrorContains(t, err, "is no thread id")
}
