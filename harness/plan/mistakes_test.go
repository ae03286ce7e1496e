package plan_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
)

// Around most mistakes stands a scenario that is right.
const (
	replyOK = "[[reply]]\nto = \"turn\"\nsay = \"hello\"\n"
	stepOK  = "[[step]]\nrun = \"hi\"\n"
)

const sevenTexts = `"1", "2", "3", "4", "5", "6", "7"`

// mistakes are files with one slip each. ▸ marks the place that the fault must
// name; it is not in the file.
var mistakes = []struct {
	reason, file, want string
}{
	{"nothing to go by", "▸", "the file is empty; `replay new FILE` writes one to start with"},
	{"comments only", "▸# nothing\n", "the file is empty"},
	{"broken TOML", stepOK + "[[reply]]\nto = ▸turn\n", "this is not TOML"},
	{"a text that is not closed", replyOK + stepOK + "[codex]\nversion = \"0.171.0▸\n", "this is not TOML"},
	{"a table that is not closed", replyOK + stepOK + "[codex▸\n", "this is not TOML"},
	{"a key twice", "about = \"a\"\n▸about = \"b\"\n" + replyOK + stepOK, `key "about" is here a second time; the first is in line 1`},
	{"a table twice", replyOK + stepOK + "[codex]\n▸[codex]\n", `table "codex" is here a second time`},
	{"a list of tables and a table", replyOK + stepOK + "[codex]\nconfig = {}\n▸[[codex.config]]\n", `"config" is already a table; use one form only`},
	{"a date", replyOK + stepOK + "[codex.config]\nx = ▸2020-01-01\n", "dates have no use here; write it as a text in quotes"},
	{"a number without end", replyOK + stepOK + "[codex.config]\nx = ▸99999999999999999999\n", "no whole number that fits 64 bits"},
	{"an unknown key of the file", "▸abuot = \"x\"\n" + replyOK + stepOK, `a scenario has no key "abuot"; did you mean "about"?`},
	{"an unknown key of a reply", "[[reply]]\nto = \"turn\"\n▸sya = \"x\"\n" + stepOK, `a reply has no key "sya"; did you mean "say"?`},
	{"an unknown key deep inside", "[[reply]]\nto = \"turn\"\nframe = { ▸chunks = 3 }\n" + stepOK, `a frame has no key "chunks"; did you mean "chunk"?`},
	{"an unknown kind of attachment", replyOK + "[[step]]\nsend = \"x\"\nattached = [{ kind = ▸\"skil\", path = \"/s\" }]\n", `there is no "skil"; did you mean "skill"?`},
	{"an unknown step", replyOK + "[[step]]\n▸sned = \"x\"\n", `there is no step "sned"; did you mean "send"?`},
	{"an unknown expectation", replyOK + stepOK + "[expect]\n▸delivred = []\n", `did you mean "delivered"?`},
	{"a wrong type", "[[reply]]\nto = \"turn\"\nsay = ▸5\n" + stepOK, "want a text in quotes, not 5"},
	{"a wrong type in a list", "[[reply]]\nto = \"turn\"\nsay = [\"a\", ▸true]\n" + stepOK, "want a text in quotes, not true"},
	{"a table for a text", replyOK + "[[step]]\nrun = ▸{ text = \"x\" }\n", "want a text in quotes, or { repeat = text, times = N }, not a table"},
	{"a list for a table", replyOK + "[[step]]\nawait = ▸[]\n", "want an await as a table"},
	{"a negative count", "[[reply]]\nto = \"turn\"\ntimes = ▸-1\n" + stepOK, "want a count, 1 or more, not -1"},
	{"a word that is none", "[[reply]]\nto = ▸\"trun\"\n" + stepOK, `there is no "trun"; did you mean "turn"?`},
	{"a time without unit", replyOK + stepOK + "[limits]\ndeadline = ▸\"20\"\n", `want a time like "20ms" or "3s"`},
	{"a reply without to", "▸[[reply]]\nsay = \"x\"\n" + stepOK, `a reply needs "to"; add to = "turn"`},
	{"a step without action", replyOK + "▸[[step]]\nagent = \"main\"\n", "a step needs an action"},
	{"a step with two actions", replyOK + "[[step]]\nrun = \"x\"\n▸settle = true\n", "a step has one action; this one has run and settle"},
	{"a key that goes with another action", replyOK + "[[step]]\nsettle = true\n▸behavior = \"steer\"\n", `"behavior" does not go with settle`},
	{"settle = false", replyOK + "[[step]]\nsettle = ▸false\n", "want true (or leave the key out), not false"},
	{"a step that waits in together", replyOK + "[[step]]\ntogether = [{ send = \"a\" }, ▸{ settle = true }]\n", "settle waits, so it cannot stand in together"},
	{"a release of a gate that is never held", "[[reply]]\nto = \"turn\"\nhold = \"gate\"\n[[step]]\nsend = \"x\"\n[[step]]\nrelease = \"gate\"\n[[step]]\nrelease = ▸\"gaet\"\n", `the gate "gaet" is never held; did you mean "gate"?`},
	{"an await of a gate that is never held", replyOK + "[[step]]\nawait = { held = ▸\"g\" }\n", `the gate "g" is never held; add hold = "g" to a reply`},
	{"a gate that nothing releases", "[[reply]]\nto = \"turn\"\nhold = ▸\"gate\"\n[[step]]\nsend = \"x\"\n[[step]]\nawait = { held = \"gate\" }\n", `nothing releases the gate "gate"`},
	{"more at a gate than can come", "[[reply]]\nto = \"turn\"\ntimes = 1\nhold = \"g\"\n[[step]]\nsend = \"x\"\n[[step]]\nawait = { held = \"g\", count = ▸2 }\n[[step]]\nrelease = \"g\"\n", `the gate "g" holds at most 1`},
	{"a run whose turn is held", "[[reply]]\nto = \"turn\"\nhold = \"g\"\n[[step]]\n▸run = \"x\"\n[[step]]\nrelease = \"g\"\n", "this run cannot end: every reply to a turn is held, at \"g\""},
	{"an await of nothing", replyOK + "[[step]]\nawait = ▸{}\n", "this await waits for nothing"},
	{"an await of requests that nothing answers", replyOK + "[[step]]\nsend = \"x\"\n[[step]]\nawait = { requests = { review = ▸1 } }\n", "no reply answers a review request"},
	{"a name that is never defined", replyOK + "[[step]]\nrun = ▸\"${sned}\"\n[matrix]\nsend = [\"x\"]\n[[step]]\nrun = \"${send}\"\n", "there is no name ${sned}"},
	{"an agent that is never defined", replyOK + "[[step]]\nagent = ▸\"mian\"\nrun = \"x\"\n", `there is no agent "mian"; did you mean "main"?`},
	{"an agent's id that is never defined", replyOK + "[[step]]\nrun = ▸\"${agent.b.id}\"\n", `there is no agent "b"; add [[agent]] name = "b"`},
	{"a value that only one variant has", replyOK + "[matrix]\nsend = [\"steer\", \"stear\"]\n[[step]]\nsend = \"x\"\nbehavior = ▸\"${send}\"\n", `there is no "stear"; did you mean "steer"? (${send} is "stear" here)`},
	{"an axis that changes nothing", replyOK + stepOK + "[matrix]\n▸a = [1, 2]\n", "the axis a changes nothing"},
	{"a when on no axis", replyOK + "[[step]]\nrun = \"x\"\nwhen = { ▸sent = 1 }\n", `there is no axis "sent"`},
	{"a when that no variant meets", "[matrix]\nsend = [\"steer\"]\n" + replyOK + "[[step]]\nrun = \"x\"\nwhen = { send = ▸\"stear\" }\n", `send is never "stear"; did you mean "steer"?`},
	{"a version that is none", replyOK + "[[step]]\nrun = \"x\"\nwhen = { codex = ▸\"<= new\" }\n", `"<= new" is no version`},
	{"every variant excluded", replyOK + stepOK + "[matrix]\ntransport = [\"sse\"]\n▸[[exclude]]\nwhen = { transport = \"sse\" }\n", "exclude leaves no variant"},
	{"a known failure of nothing expected", replyOK + stepOK + "[[known_failure]]\nissue = \"x\"\nfails = [▸\"delivered\"]\n", `"delivered" cannot fail: nothing expects it`},
	{"a known failure of a step that is not there", replyOK + stepOK + "[[known_failure]]\nissue = \"x\"\nfails = [▸\"step.2\"]\n", "the steps are step.1 to step.1"},
	{"a reply that can never match", replyOK + "▸[[reply]]\nto = \"turn\"\nmatch = { nth = 2 }\n" + stepOK, "warning: this reply can never be reached: the one in line 1 answers all that it matches"},
	{"an expectation that nothing settled before", replyOK + "[[step]]\nsend = \"x\"\n[[step]]\n▸expect = { turns = 0 }\n", "this proves nothing: send in line 4"},
	{"an interrupt inside an ungated stream", replyOK + "[[step]]\nsend = \"x\"\n[[step]]\n▸interrupt = true\n", "the interrupt races with what send in line 4 began"},
	{"a text that no step sends, of another version", replyOK + stepOK + "[[expect_if]]\nwhen = { codex = \"<= 0.111.0\" }\ndelivered = [▸\"hj\"]\n", `no step sends "hj"; did you mean "hi"?`},
	{"a text that no step sends", replyOK + stepOK + "[expect]\ndelivered = [▸\"hj\"]\n", `no step sends "hj"; did you mean "hi"?`},
	{"a beginning of a text that no step sends", replyOK + stepOK + "[expect]\ntimeline = [▸\"user: never*\"]\n", `no step sends "never*"; write the text as it is sent`},
	{"a text that no reply says", replyOK + stepOK + "[expect]\ntimeline = [\"user: hi\", ▸\"assistant: helo\"]\n", `no reply says "helo"; did you mean "hello"?`},
	{"a row of no kind", replyOK + stepOK + "[expect]\ntimeline = [▸\"usr: hi\"]\n", `did you mean "user"?`},
	{"a delay where a gate belongs", "[[reply]]\nto = \"turn\"\n▸delay = \"1ms\"\n" + stepOK, "warning: a delay takes real time"},
	{"a limit that codex's prompt fills", replyOK + stepOK + "[codex.config]\nmodel_auto_compact_token_limit = ▸5_999\n", "warning: codex's own prompt fills a limit of 5999 tokens"},
	{"a script where a scenario is wanted", "▸" + replyOK, "warning: there is no step"},
	{"a path that leaves its folder", replyOK + "[[step]]\nwrite = { file = ▸\"../x\", text = \"\" }\n", `the path "../x" leaves its folder`},
	{"an included file that is not there", "include = [▸\"no.toml\"]\n" + replyOK + stepOK, `cannot include "no.toml"`},
	{"a wire rule that does two things", replyOK + stepOK + "[[wire]]\nof = \"*\"\ndrop = true\n▸exit = true\n", "a wire rule does one thing"},
	{"a wire rule that does nothing", replyOK + stepOK + "▸[[wire]]\nof = \"*\"\n", "a wire rule does nothing"},
	{"an invariant that is none", replyOK + stepOK + "[invariants]\n▸frame = false\n", `did you mean "frames"?`},
	{"an answer where none is given", replyOK + stepOK + "[[step]]\nkill = true\n▸gives = \"started\"\n", "kill gives no answer; take gives out"},
	{"too many variants", replyOK + "[[step]]\nrun = \"${a}\"\n[matrix]\na = [" + sevenTexts + "]\nb = [" + sevenTexts + "]\n▸c = [" + sevenTexts + "]\n", "the matrix makes more than 256 variants"},
	{"an axis that is no list", replyOK + stepOK + "[matrix]\ntransport = ▸\"sse\"\n", `want a list of values, like ["replace", "steer"], not the text "sse"`},
	{"a matrix that is no table", "matrix = ▸5\n" + replyOK + stepOK, "want a table of axes"},
	{"an axis with a name of the run", replyOK + stepOK + "[matrix]\n▸n = [\"x\"]\n", `an axis cannot be called "n"`},
	{"a value of an axis twice", replyOK + "[[step]]\nrun = \"${a}\"\n[matrix]\na = [\"x\", ▸\"x\"]\n", "is here a second time"},
	{"a value that cannot be in a file's name", replyOK + "[[step]]\nrun = \"${a}\"\n[matrix]\na = [▸\"x/y\"]\n", "cannot be part of a file's name"},
	{"a text that is too long", replyOK + "[[step]]\nrun = ▸{ repeat = \"xxxxxxxx\", times = 9_000_000 }\n", "long texts make more than 64 MiB"},
	{"two agents of one name", replyOK + stepOK + "[[agent]]\nname = \"b\"\n▸[[agent]]\nname = \"b\"\n", `there are two agents "b"`},
	{"an absolute include", "include = [▸\"/etc/passwd\"]\n" + replyOK + stepOK, "an included file lies beside this one"},
	{"an included folder", "include = [▸\".\"]\n" + replyOK + stepOK, "it is no plain file"},
	{"an attempt that says again before the last", "[[reply]]\nto = \"turn\"\nattempts = [{ status = 500, ▸again = true }, {}]\n" + stepOK, "only the last attempt can say again"},
	{"an edit of nothing", replyOK + "[[step]]\nedit = ▸{ find = \"x\", put = \"y\" }\n", "an edit changes a file or the rollout"},
	{"an edit of no line", replyOK + "[[step]]\nedit = ▸{ file = \"x\", put = \"y\" }\n", "an edit must know its line"},
	{"an edit that does nothing", replyOK + "[[step]]\nedit = ▸{ file = \"x\", line = 1 }\n", "an edit puts or deletes"},
	{"expect_if without when", replyOK + stepOK + "▸[[expect_if]]\nturns = 1\n", "expect_if needs when"},
	{"an end that is none", "[[reply]]\nto = \"turn\"\nend = ▸\"failed\"\n" + stepOK, `want "completed"`},
	{"a gate at an event that is never sent", "[[reply]]\nto = \"turn\"\nhold = { gate = \"g\", before = ▸\"response.complete\" }\n[[step]]\nsend = \"x\"\n[[step]]\nrelease = \"g\"\n", "response.complete"},
	{"a reply that is not there fails", replyOK + stepOK + "[[known_failure]]\nissue = \"x\"\nfails = [▸\"reply[1]\"]\n", `there is no "reply[1]"; the replies are reply[0] to reply[0]`},
	{"a list of tables as one value", "reply = ▸5\n" + stepOK, "reply is a list of tables; write [[reply]]"},
	{"a list of tables with a text in it", "step = [▸\"x\", { run = \"y\" }]\n" + replyOK, "want a table; write [[step]]"},
	{"expectations of no agent", replyOK + stepOK + "[expect]\nagent = ▸5\n", "want a table for each agent"},
	{"an agent inside an agent", replyOK + stepOK + "[expect.agent.main]\nturns = 1\n▸agent = {}\n", "have no agents of their own"},
	{"a request class that is none", replyOK + stepOK + "[expect]\nrequests = { ▸turns = 1 }\n", `there is no request class "turns"; did you mean "turn"?`},
	{"a picture without end", replyOK + "[[step]]\nwrite = { file = \"x\", png = [1, ▸99_999] }\n", "a side of a picture is 1 to 20000 pixels"},
	{"an item of no type", replyOK + "[[step]]\ninject = ▸{ role = \"user\" }\n", "an item needs a type"},
	{"together with one step", replyOK + "[[step]]\ntogether = ▸[{ send = \"x\" }]\n", "want a list of at least two steps"},
	{"an empty name", replyOK + "[[step]]\nagent = ▸\"\"\nrun = \"x\"\n", "want agent, not an empty text"},
	{"a release with a strange end", "[[reply]]\nto = \"turn\"\nhold = \"g\"\n[[step]]\nsend = \"x\"\n[[step]]\nrelease = { gate = \"g\", with = ▸\"failed\" }\n", `want "failed:CODE" | "cut"`},
	{"one table where several can be", "▸[agent]\nname = \"b\"\n" + replyOK + stepOK, "there can be several of these; write [[agent]], in double brackets"},
	{"one text where several can be", replyOK + stepOK + "[expect]\ndelivered = ▸\"hi\"\n", `want a list, like ["hi"], not the text "hi"`},
	{"the beginning of a word", "[[reply]]\nto = ▸\"compact\"\n" + stepOK, `there is no "compact"; did you mean "compaction"?`},
	{"a number in words", "[[reply]]\nto = \"turn\"\ntokens = ▸\"50k\"\n" + stepOK, `want a number, like 50_000, a table, or "omitted", not the text "50k"`},
	{"an empty subject", "subject = ▸{}\n" + replyOK + stepOK, "a subject is"},
}

func TestPlantedMistakes(t *testing.T) {
	for _, tt := range mistakes {
		t.Run(tt.reason, func(t *testing.T) {
			before, after, marked := strings.Cut(tt.file, "▸")
			require.True(t, marked)
			line := strings.Count(before, "\n") + 1
			column := len(before) - strings.LastIndex(before, "\n")
			_, faults := plan.Parse("a.toml", []byte(before+after), fstest.MapFS{"x/y.toml": {}})
			require.Len(t, faults, 1, "%v", faults)
			require.Contains(t, faults[0].String(), tt.want)
			require.True(t, strings.HasPrefix(faults[0].String(), fmt.Sprintf("a.toml:%d:%d: ", line, column)), "want %d:%d, got %s", line, column, faults[0])
			require.NotContains(t, faults[0].String(), "\n")
		})
	}
}

func TestFilesOfOtherSystems(t *testing.T) {
	for reason, file := range map[string]string{
		"lines end with CRLF": strings.ReplaceAll(replyOK+stepOK+"[codex]\nversion = \"new\"\n", "\n", "\r\n"),
		"a mark at the start": "\xef\xbb\xbf" + replyOK + stepOK + "[codex]\nversion = \"new\"\n",
	} {
		_, faults := plan.Parse("a.toml", []byte(file), nil)
		require.EqualError(t, faults, `a.toml:7:11: "new" is no version; write one like "0.171.0"`, reason)
	}
}
