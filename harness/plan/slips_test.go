package plan_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
)

const rightFile = `about = "A worker runs a command that is held."
tags  = ["x"]

[matrix]
send = ["replace", "steer"]

[[agent]]
name = "worker"

[[reply]]
to    = "turn"
match = { tool_output = false }
times = 1
call  = [{ tool = "exec_command", args = { cmd = "cat ${hold.shell}" } }]

[[reply]]
to   = "turn"
say  = "reply ${n}"

[[step]]
send = "go"
[[step]]
await = { held = "shell" }
[[step]]
send     = "second ${agent.worker.id}"
behavior = "${send}"
[[step]]
release = "shell"
[[step]]
await = { state = "idle" }

[expect]
delivered = ["go", "second ${agent.worker.id}"]
timeline  = ["user: go", "…", "assistant: reply 2"]

[[known_failure]]
when  = { send = "replace" }
issue = "a/b#1"
fails = ["delivered"]
`

// slips are the ways to spoil rightFile with one slip of the hand, made to each
// line that the pattern fits, and where the first fault stands. The others, if
// there are any, are of the same slip on other lines.
var slips = []struct {
	reason, pattern, slip string
	line, faults          int
	want                  string
}{
	{"a step in single brackets", `\[\[step]]`, "[step]", 20, 5, "there can be several of these; write [[step]], in double brackets"},
	{"the second step only", `(?s)("go"\n)\[\[step]]`, "${1}[step]", 22, 1, "write [[step]], in double brackets"},
	{"a reply in single brackets", `\[\[reply]]`, "[reply]", 10, 2, "write [[reply]]"},
	{"an agent in single brackets", `\[\[agent]]`, "[agent]", 7, 1, "write [[agent]]"},
	{"a known failure in single brackets", `\[\[known_failure]]`, "[known_failure]", 36, 1, "write [[known_failure]]"},
	{"expect in double brackets", `\[expect]`, "[[expect]]", 32, 1, "there is only one [expect]; write it in single brackets"},
	{"the matrix in double brackets", `\[matrix]`, "[[matrix]]", 4, 1, "there is only one [matrix]"},
	{"the matrix misspelled", `\[matrix]`, "[matrx]", 4, 1, `a scenario has no "matrx"; did you mean [matrix]?`},
	{"the matrix by another name", `\[matrix]`, "[axes]", 4, 1, `a scenario has no key "axes"`},
	{"steps misspelled", `\[\[step]]`, "[[steps]]", 20, 5, `a scenario has no "steps"; did you mean [[step]]?`},
	{"replies misspelled", `\[\[reply]]`, "[[relpy]]", 10, 2, `did you mean [[reply]]?`},
	{"expect misspelled", `\[expect]`, "[expct]", 32, 1, `did you mean [expect]?`},
	{"a part of a reply before all replies", `tags .*`, "[reply.match]\nnth = 1", 2, 1, "there is no [[reply]] above this [reply.match]"},
	{"one bracket too few", `\[\[agent]]`, "[[agent]", 7, 1, "this is not TOML: expected ']]'"},
	{"a list that is not closed", `\["x"]`, `["x"`, 2, 1, "the value that begins here is not closed by line 4; close its brackets or quotes"},
	{"a list of lines that is not closed", `tags .*`, "tags = [\n  \"x\",\n", 2, 1, "not closed by line 6"},
	{"a table that is not closed", `match.*}`, `match = { tool_output = false`, 12, 1, "not closed by line 13"},
	{"calls that are not closed", `call .*`, `call = [{ tool = "x", args = { a = "${hold.shell}" } },`, 14, 1, "not closed by line 16"},
	{"lines of a text that are not closed", `about .*`, `about = """x`, 1, 1, "not closed by line 39"},
	{"a text that is not closed", `"go"\n\[`, "\"go\n[", 21, 1, "basic strings cannot have new lines; close the quotes"},
	{"single quotes that are not closed", `"go"\n\[`, "'go\n[", 21, 1, "close the quotes"},
	{"a text without quotes", `= "go"`, "= go", 21, 1, "texts stand in quotes"},
	{"quotes of a word processor", `= "go"`, "= “go”", 21, 1, `texts stand in straight quotes, "like this"`},
	{"a colon", `send = "go"`, `send: "go"`, 21, 1, "write KEY = VALUE"},
	{"a tab in a text", `"go"\n\[`, "\"g\to\"\n[", 33, 2, `no step sends "go"; did you mean "g\to"?`},
	{"a key twice", `times = 1`, "times = 1\ntimes = 2", 14, 1, `key "times" is here a second time; the first is in line 13`},
	{"two steps in one", `("go"\n)\[\[step]]\nawait`, "${1}send", 22, 1, `key "send" is here a second time`},
	{"a step misspelled", `send = "go"`, `sned = "go"`, 21, 1, `there is no step "sned"; did you mean "send"?`},
	{"an agent's name misspelled", `name =`, `nmae =`, 8, 1, `an agent has no key "nmae"; did you mean "name"?`},
	{"a gate's key misspelled", `call  =`, `cal =`, 14, 1, `a reply has no key "cal"; did you mean "call"?`},
	{"an axis misspelled", `send = \["rep`, `sedn = ["rep`, 26, 2, "there is no name ${send}; did you mean ${sedn}?"},
	{"a gate in a text misspelled", `hold\.shell`, "hold.shel", 14, 1, `no step names the gate "shel", and nothing is held at "shell" of line 23; did you mean "shell" here?`},
	{"a name in a text misspelled", `hold\.shell`, "hld.shell", 14, 1, "there is no name ${hld.shell}; did you mean ${hold.shell}?"},
	{"an agent in a text misspelled", `worker.id}"\n`, "wroker.id}\"\n", 25, 1, `there is no agent "wroker"; did you mean "worker"?`},
	{"a fact of an agent misspelled", `worker.id}"\n`, "worker.di}\"\n", 25, 1, "there is no name ${agent.worker.di}; did you mean ${agent.worker.id}?"},
	{"a release misspelled", `release = "shell"`, `release = "shel"`, 28, 1, `the gate "shel" is never held; did you mean "shell"?`},
	{"an await misspelled", `held = "shell"`, `held = "shel"`, 23, 1, `the gate "shel" is never held; did you mean "shell"?`},
}

func TestOneSlipOneFault(t *testing.T) {
	_, none := plan.Parse("a.toml", []byte(rightFile), nil)
	require.Empty(t, none)
	for _, tt := range slips {
		t.Run(tt.reason, func(t *testing.T) {
			file := regexp.MustCompile(tt.pattern).ReplaceAllStringFunc(rightFile, func(s string) string {
				if !strings.Contains(tt.slip, "${1}") {
					return tt.slip
				}
				return regexp.MustCompile(tt.pattern).ReplaceAllString(s, tt.slip)
			})
			require.NotEqual(t, rightFile, file)
			_, faults := plan.Parse("a.toml", []byte(file), nil)
			require.Len(t, faults, tt.faults, "%v", faults)
			require.Contains(t, faults[0].String(), tt.want)
			require.True(t, strings.HasPrefix(faults[0].String(), fmt.Sprintf("a.toml:%d:", tt.line)), "%v", faults)
		})
	}
}
