package harness_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/codexshim"
	"github.com/heldstream/heldstream/harness/report"
)

// starter is a manager that starts CODEX_BIN once it is to create an agent, and
// tells what that says as a row.
func starter(home string, args ...string) func(io.Reader, io.Writer) error {
	return func(calls io.Reader, lines io.Writer) error {
		for in := bufio.NewScanner(calls); in.Scan(); {
			var c struct {
				managerCall
				Bin  string `json:"codex_bin"`
				Home string `json:"codex_home"`
			}
			if err := json.Unmarshal(in.Bytes(), &c); err != nil {
				return err
			}
			if c.Call == "create" {
				cmd := exec.Command(c.Bin, args...)
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "CODEX_HOME=" + or(home, c.Home), "GOGC=1"}
				out, _ := cmd.Output() // one that is refused says nothing
				fmt.Fprintf(lines, `{"event":"row","agent":"main","kind":"assistant","text":%q}`+"\n", strings.TrimSpace(string(out)))
			}
			good(c.managerCall, func(format string, args ...any) { fmt.Fprintf(lines, format+"\n", args...) })
		}
		return nil
	}
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

// echoes is a codex that tells its arguments, and much once it is an app-server.
const echoes = `#!/bin/sh
[ "$1" = app-server ] && yes '{"method":"configWarning"}' | head -n 10000
echo "codex-cli $*, $HOME"
`

// playStarter plays it with a codex that echoes its arguments.
func playStarter(t *testing.T, serve func(io.Reader, io.Writer) error) report.Result {
	return playWith(t, serve, echoes)
}

func playWith(t *testing.T, serve func(io.Reader, io.Writer) error, program string) report.Result {
	codex := filepath.Join(t.TempDir(), "codex")
	require.NoError(t, os.WriteFile(codex, []byte(program), 0o700))
	root := t.TempDir()
	r := &harness.Runner{
		WorkRoot: root, Deadline: time.Minute, Shim: []string{os.Args[0], codexshim.Word}, Manager: &harness.Manager{Serve: serve},
		Find: func(string) (harness.Codex, error) {
			return harness.Codex{Mode: "live", Version: "0.171.0", Binary: codex}, nil
		},
	}
	res := r.Play(t.Context(), moodPlan(t, mood{})).Result
	nothingRuns(t, root)
	return res
}

// Many managers ask a codex for its version before they start it.
func TestTheShimIsCodexForOtherArguments(t *testing.T) {
	res := playStarter(t, starter("", "--version"))
	require.Equal(t, report.Pass, res.Verdict, told(t, res))
	require.Regexp(t, "codex-cli --version, /.+", res.Timeline[0].Text, "in the run's environment")
}

func TestAManagerThatGivesCodexAnotherHome(t *testing.T) {
	res := playStarter(t, starter("/elsewhere", "app-server"))
	require.Equal(t, report.Error, res.Verdict)
	require.Contains(t, told(t, res), `started codex with CODEX_HOME="/elsewhere"; give it the codex_home of the agent's create call`)
}

// The shim collects its garbage as often as it can, and loses no line.
func TestTheShimPassesAllOn(t *testing.T) {
	res := playStarter(t, starter("", "app-server"))
	require.Contains(t, res.Timeline[0].Text, "codex-cli app-server, ", told(t, res))
	require.Equal(t, 10000, strings.Count(res.Timeline[0].Text, "configWarning"))
}

func TestACodexThatCannotBeStarted(t *testing.T) {
	res := playWith(t, starter("", "app-server"), "#!/nowhere/sh\n")
	require.Equal(t, report.Error, res.Verdict)
	require.Contains(t, told(t, res), "the codex of agent main for the manager")
	require.Contains(t, told(t, res), "no such file or directory")
}
