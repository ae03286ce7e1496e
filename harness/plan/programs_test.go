package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrograms(t *testing.T) {
	step := "[[reply]]\nto = \"turn\"\n[[step]]\nrun = \"x\"\n"
	for _, tt := range []struct{ file, want string }{
		{step, ""},
		{step + "[codex.config]\nmodel_auto_compact_token_limit = 10_000\nsandbox_mode = \"read-only\"\n", ""},
		{step + "[codex.config]\nsandbox_mode = \"danger-full-access\"\n", "switches its sandbox off"},
		{step + "[codex.config.mcp_servers.x]\ncommand = \"sh\"\n", `"mcp_servers" can name programs`},
		{step + "[codex.config.model_providers.m.auth]\ncommand = \"sh\"\n", `"command" can name programs`},
		{step + "[codex.config]\nnotify = [\"sh\"]\n", `"notify" can name programs`},
		{step + "[codex.home]\n\"hooks.json\" = \"{}\"\n", `"hooks.json" is put into codex's home`},
		{step + "[[agent]]\nname = \"main\"\nmode = \"full-access\"\n", "a.toml:5:1: agent \"main\" runs without a sandbox"},
		{step + "[[step]]\nexec = \"ls\"\n", "a.toml:5:1: exec runs a command"},
		{step + "[[step]]\nset = { mode = \"full-access\" }\n", "without a sandbox"},
		{step + "[[step]]\ntogether = [{ exec = \"a\" }, { exec = \"b\" }]\n", "exec runs a command"},
		{step + "[[step]]\nrestart = { what = \"codex\", config = { notify = [\"sh\"] } }\n", "a.toml:5:1: codex's \"notify\""},
		{step + "[[step]]\nrpc = { method = \"command/exec\", params = {} }\n", "can run programs"},
		{step + "[[step]]\nrpc = { method = \"thread/start\", params = { sandbox = \"danger-full-access\" } }\n", "switches codex's sandbox off"},
		{"subject = { command = [\"sh\"] }\n" + step, "the subject is a program"},
	} {
		got := one(t, tt.file).Programs()
		if tt.want == "" {
			require.Empty(t, got, tt.file)
			continue
		}
		require.NotEmpty(t, got, tt.file)
		require.Contains(t, got.Error(), tt.want)
	}
}
