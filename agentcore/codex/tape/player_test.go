package tape_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/mockprovider"
)

var hello = mockprovider.Reply{To: mockprovider.AnyClass, Say: []string{"one", "two", "three"}}

func TestAnActWaitsForWhatItsOwnThreadAndTheProcessWereTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t, `> - call 1 initialize`, `< - answer 1 {}`))
		require.Empty(t, r.wait(), "nothing is said unasked")
		require.Equal(t, []string{`{"id":4712,"result":{}}`}, r.say(`{"id":4712,"method":"initialize"}`), "the id is the one that came")
		r.close()
	})
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t,
			`> T1 note a {"threadId":"T1"}`,
			`> T2 note b {"threadId":"T2"}`,
			`< T1 note ofT1`,
			`< T2.1 note ofTheChildOfT2`,
			`< - note ofTheProcess`,
		))
		require.Equal(t, []string{`{"method":"ofTheChildOfT2"}`}, r.say(`{"method":"b","params":{"threadId":"T2"}}`),
			"T1 was told nothing yet, and the process not all")
		require.Equal(t, []string{`{"method":"ofT1"}`, `{"method":"ofTheProcess"}`}, r.say(`{"method":"a","params":{"threadId":"T1"}}`))
		require.Empty(t, r.player.WaitsFor())
		r.close()
		require.Empty(t, r.departed)
		require.Equal(t, codex.Exit{}, *r.exit)
	})
}

func TestOrderWithinALaneIsKeptAndAnswersAreLanesOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t,
			`> - call 1 a`,
			`> - note b`,
			`< - note second`,
			`< - answer 1 {}`,
		))
		require.Empty(t, r.say(`{"id":1,"method":"a"}`))
		require.Equal(t, []string{`{"method":"second"}`, `{"id":1,"result":{}}`}, r.say(`{"method":"b"}`))
		r.close()
	})
}

func TestHowBytesAreCutDoesNotMatter(t *testing.T) {
	lines := slices.Concat([]string{`> T1 note go {"threadId":"T1"}`, `? T1 request 1 turn ` + request}, answered(t, 1, hello))
	after := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "output_text.delta") })
	lines = slices.Insert(lines, after+1, `< T1 note sawADelta`)
	lines = append(lines, `< T1 note sawTheEnd`)
	for name, frame := range map[string]mockprovider.Frame{
		"an event a write": {}, "bytewise": {Chunk: 1}, "three bytes": {Chunk: 3}, "all in one": {Coalesce: 100}, "CRLF": {CRLF: true},
		"comments": {Comments: &mockprovider.Comments{Times: 2}}, "no event lines": {NoEventLines: true}, "done": {Done: true},
	} {
		bubble(t, name, func(t *testing.T) {
			reply := hello
			reply.Frame = frame
			r := play(t, parse(t, lines...), reply)
			require.Equal(t, []string{`{"method":"sawADelta"}`, `{"method":"sawTheEnd"}`}, r.say(`{"method":"go","params":{"threadId":"T1"}}`))
			r.close()
			require.Empty(t, r.departed)
		})
	}
}

// held is a tape whose stream stands at a gate before the end of the item, and
// is cut there.
func held(t *testing.T) ([]string, mockprovider.Reply) {
	reply := hello
	reply.Holds = []mockprovider.Hold{{Gate: "g", Before: "response.output_text.done"}}
	events := answered(t, 1, hello)
	n := slices.IndexFunc(events, func(l string) bool { return strings.Contains(l, "output_text.done") })
	return slices.Concat([]string{`> T1 note go {"threadId":"T1"}`, `? T1 request 1 turn ` + request}, events[:n],
		[]string{`< T1 note sawThree`, `> T1 note stop {"threadId":"T1"}`, `x T1 cut 1`, `< T1 note stopped`}), reply
}

func TestGatesAreHonouredAndACutIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines, reply := held(t)
		r := play(t, parse(t, lines...), reply)
		require.Equal(t, []string{`{"method":"sawThree"}`}, r.say(`{"method":"go","params":{"threadId":"T1"}}`))
		require.Equal(t, 1, r.player.Open())
		require.Equal(t, "agent main: act 13, codex's cut of request 1 waits for act 12, the manager's stop", r.player.WaitsFor())
		require.Equal(t, []string{`{"method":"stopped"}`}, r.say(`{"method":"stop","params":{"threadId":"T1"}}`))
		require.Equal(t, []string{"arrived  hello", "held g hello", "gone  hello"}, r.provider)
		require.Zero(t, r.player.Open())
		r.close()
		require.Empty(t, r.departed)
	})
}

func TestTheProviderIsGivenTheRecordedClass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t, `? T1 request 1 compaction.inline `+request), hello)
		body := []byte(request[len(`{"body":`):strings.Index(request, `,"method"`)])
		class, ok := r.player.Class(body)
		require.True(t, ok)
		require.Equal(t, "compaction.inline", class)
		_, ok = r.player.Class([]byte("another"))
		require.False(t, ok)
		r.close()
	})
}

func TestPlacesAndIDsOfTheManagerAreTheRunsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t,
			`> - note go {"clientUserMessageId":"{{client:1}}","cwd":"{{cwd}}","text":"{{lb}}cwd}}"}`,
			`< - note item {"clientId":"{{client:1}}","path":"{{cwd}}/f","text":"{{lb}}cwd}}"}`,
		))
		require.Equal(t, []string{`{"method":"item","params":{"clientId":"abc","path":"/run/one/f","text":"{{cwd}}"}}`},
			r.say(`{"method":"go","params":{"cwd":"/run/one","text":"{{cwd}}","clientUserMessageId":"abc"}}`))
		r.close()
		require.Empty(t, r.departed)
	})
}

func TestTextsOfCodexGetTheirLengthBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t, `< - note x {"text":"{{codex 40 9ad1e0aa:<environment_context>}}"}`))
		text := "<environment_context> .................."
		require.Len(t, text, 40)
		require.Equal(t, []string{`{"method":"x","params":{"text":"` + text + `"}}`}, r.wait())
		r.close()
	})
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t, `< - note x {"text":"`+strings.Repeat("{{codex 9999999 :}}", 100)+`"}`))
		require.Len(t, r.departed, 1, "a bomb is refused")
		require.Contains(t, r.departed[0], "too long")
		r.close()
	})
}

func TestACallOfCodexGetsTheRecordedAnswerOrDeparts(t *testing.T) {
	lines := []string{`< T1 call 1 mayI {"threadId":"T1"}`, `> T1 answer 1 {"decision":"accept"}`, `< T1 note thanks`}
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t, lines...))
		require.Equal(t, []string{`{"id":1,"method":"mayI","params":{"threadId":"T1"}}`}, r.wait())
		require.Equal(t, []string{`{"method":"thanks"}`}, r.say(`{"id":1,"result":{"decision":"accept"}}`))
		r.close()
	})
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t, lines...))
		r.wait()
		require.Empty(t, r.say(`{"id":1,"result":{"decision":"decline"}}`))
		require.Equal(t, []string{`the answer to codex's call 1, result.decision: recorded "accept", came "decline"`}, r.departed)
		r.close()
	})
}

func TestEachProcessHasASectionAndOneTooManyDeparts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t, `< - note first`, `exit {"asked":"kill","code":-1,"signal":"killed"}`, `spawn main`, `< - note second`, `exit {"code":3,"stderr":"boom"}`))
		require.Equal(t, []string{`{"method":"first"}`}, r.wait())
		r.process.Kill()
		synctest.Wait()
		require.Equal(t, codex.Exit{Code: -1, Signal: "killed"}, *r.exit)
		r.start()
		require.Equal(t, []string{`{"method":"second"}`}, r.wait())
		require.Equal(t, codex.Exit{Code: 3, Stderr: "boom"}, *r.exit, "it ended by itself")
		_, err := r.player.Start(codex.Command{Agent: "main"}, codex.Callbacks{})
		require.ErrorContains(t, err, "codex is started 3 times, one more than recorded")
		r.server.Close()
	})
}

func TestDepartures(t *testing.T) {
	recorded := slices.Concat([]string{
		`> T1 call 1 turn/start {"input":[{"text":"hello"}],"threadId":"T1"}`,
		`? T1 request 1 turn ` + request,
	}, answered(t, 1, hello), []string{`< T1 note done`, `> T1 note next {"threadId":"T1","turnId":"T1-turn-2"}`, `< T1 note never`})
	const good = `{"id":1,"method":"turn/start","params":{"threadId":"T1","input":[{"text":"hello"}]}}`
	other := func(change func(*mockprovider.Reply)) mockprovider.Reply {
		r := hello
		change(&r)
		return r
	}
	for _, tt := range []struct {
		name  string
		reply mockprovider.Reply
		say   []string
		want  string
	}{
		{"nothing departs", hello, []string{good, `{"method":"next","params":{"threadId":"T1","turnId":"T1-turn-2"}}`}, ""},
		{"null is as good as absent", hello, []string{strings.Replace(good, `"threadId"`, `"effort":null,"threadId"`, 1), `{"jsonrpc":"2.0","method":"next","params":{"threadId":"T1","turnId":"T1-turn-2"}}`}, ""},
		{"another method", hello, []string{`{"id":1,"method":"turn/steer","params":{"threadId":"T1"}}`}, "recorded call turn/start, came call turn/steer"},
		{"a note for a call", hello, []string{`{"method":"turn/start","params":{"threadId":"T1"}}`}, "recorded call turn/start, came note turn/start"},
		{"another text", hello, []string{strings.Replace(good, "hello", "hullo", 1)}, `call turn/start, params.input[0].text: recorded "hello", came "hullo"`},
		{"one more in a list", hello, []string{strings.Replace(good, `{"text":"hello"}`, `{"text":"hello"},{"text":"x"}`, 1)}, "params.input: recorded 1 entries, came 2"},
		{"a member more", hello, []string{strings.Replace(good, `"threadId"`, `"effort":"high","threadId"`, 1)}, `params.effort: recorded nothing, came "high"`},
		{"another thread", hello, []string{strings.Replace(good, "T1", "T7", 1)}, "the manager says call turn/start, and nothing more was recorded of it for thread T7"},
		{"a known id that is the wrong one", hello, []string{good, `{"method":"next","params":{"threadId":"T1","turnId":"T1-turn-1"}}`}, `params.turnId: recorded "T1-turn-2", came "T1-turn-1"`},
		{"one message more", hello, []string{good, `{"method":"next","params":{"threadId":"T1","turnId":"T1-turn-2"}}`, `{"method":"more","params":{"threadId":"T1"}}`}, "nothing more was recorded of it for thread T1"},
		{"no message", hello, []string{`[1]`}, "no JSON-RPC message"},
		{"a deep one", hello, []string{`{"method":"a","params":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`}, "nest deeper"},
		{"another reply", other(func(r *mockprovider.Reply) { r.Say = []string{"one", "2", "three"} }), []string{good}, "the content of response.output_text.delta is not the recorded one"},
		{"an event less", other(func(r *mockprovider.Reply) { r.Say = []string{"one"} }), []string{good}, "recorded event response.output_text.delta, came response.output_text.done"},
		{"cut short", other(func(r *mockprovider.Reply) { r.Cut = &mockprovider.Cut{After: "response.created"} }), []string{good}, "recorded event response.in_progress, came cut"},
		{"a failure in its place", other(func(r *mockprovider.Reply) { r.Status = 500 }), []string{good}, "request 1 (turn): recorded event response.created, came"},
	} {
		bubble(t, tt.name, func(t *testing.T) {
			r := play(t, parse(t, recorded...), tt.reply)
			for _, line := range tt.say {
				r.say(line)
			}
			if tt.want == "" {
				r.close()
				require.Empty(t, r.departed)
				return
			}
			require.Len(t, r.departed, 1)
			require.Contains(t, r.departed[0], tt.want)
			require.ErrorContains(t, r.exit.Err, tt.want, "the process has ended there")
			require.Empty(t, r.say(good), "nothing is done any more")
			r.server.Close()
		})
	}
}

func TestAMissingMessageIsNamedByWhatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines, reply := held(t)
		r := play(t, parse(t, lines...), reply)
		r.say(`{"method":"go","params":{"threadId":"T1"}}`)
		r.close()
		require.Equal(t, []string{"codex is asked to end (close), and the recording goes on with act 12, the manager's stop"}, r.departed)
	})
}

func TestWebSocketsAreAskedInProcessToo(t *testing.T) {
	over := strings.Replace(request, `"method":"POST"`, `"connection":1,"method":"GET"`, 1)
	over = strings.Replace(over, `"stream":true`, `"stream":true,"type":"response.create"`, 1)
	events := answered(t, 1, hello)
	events = events[1 : len(events)-1] // a WebSocket has neither headers nor ends
	synctest.Test(t, func(t *testing.T) {
		r := play(t, parse(t, slices.Concat([]string{`? T1 request 1 turn ` + over}, events, []string{`< T1 note done`})...), hello)
		require.Equal(t, []string{`{"method":"done"}`}, r.wait())
		require.Empty(t, r.departed)
		require.Zero(t, r.player.Open())
		r.close()
	})
	synctest.Test(t, func(t *testing.T) {
		reply := hello
		reply.Cut = &mockprovider.Cut{After: "response.created"}
		r := play(t, parse(t, `? T1 request 1 turn `+over, events[0], `~ T1 event 1 cut`, `< T1 note lost`), reply)
		require.Equal(t, []string{`{"method":"lost"}`}, r.wait())
		require.Empty(t, r.departed)
		r.close()
	})
}

func TestCompareTakesChanceForEqual(t *testing.T) {
	const ask = `? T1 request 1 turn ` + request
	base := []string{ask, `~ T1 event 1 headers`, `~ T1 event 1 a "#1"`, `~ T1 event 1 b "#2"`, `~ T1 event 1 end`, `< T1 note x {"a":1}`, `< T2 note y`}
	for _, tt := range []struct {
		name  string
		lines []string
		lanes []string
	}{
		{"the same", base, nil},
		{"lanes against each other", []string{ask, base[6], base[1], base[5], base[2], base[3], base[4]}, nil},
		{"left while it was sent", []string{ask, base[1], base[2], `x T1 cut 1`, base[5], base[6]}, nil},
		{"left, with another event", []string{ask, base[1], `~ T1 event 1 a "#9"`, `x T1 cut 1`, base[5], base[6]}, []string{"events 1", "cut 1"}},
		{"another content", []string{ask, base[1], base[2], base[3], base[4], `< T1 note x {"a":2}`, base[6]}, []string{"< T1"}},
		{"an act less", []string{ask, base[1], base[2], base[3], base[4], base[5]}, []string{"< T2"}},
		{"never ended", []string{ask, base[1], base[5], base[6]}, []string{"events 1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lanes []string
			for _, d := range tape.Compare(parse(t, base...), parse(t, tt.lines...)) {
				lanes = append(lanes, d.Lane)
				require.Contains(t, d.String(), "agent main, process 1, lane "+d.Lane)
			}
			require.Equal(t, tt.lanes, lanes)
		})
	}
}

func TestTwoQuestionsAtOnceMayComeInEitherOrder(t *testing.T) {
	asks := func(first, second, toFirst, toSecond string) *tape.Tape {
		return parse(t, `< T1 call 1 mayI {"itemId":"`+first+`"}`, `< T1 call 2 mayI {"itemId":"`+second+`"}`,
			`> T1 answer 1 {"say":"`+toFirst+`"}`, `> T1 answer 2 {"say":"`+toSecond+`"}`)
	}
	one := asks("a", "b", "yes", "no")
	require.Empty(t, tape.Compare(one, asks("b", "a", "no", "yes")))
	require.Len(t, tape.Compare(one, asks("b", "a", "yes", "no")), 2, "but each has its own answer")
}

func TestNoticesMayComeAnywhereAmongTheOthers(t *testing.T) {
	one := parse(t, `< T1 note warning {"message":"a"}`, `< - note configWarning {"n":1}`, `< - note configWarning {"n":2}`, `< T1 note x`)
	other := parse(t, `< - note configWarning {"n":2}`, `< T1 note x`, `< T1 note warning {"message":"a"}`, `< - note configWarning {"n":1}`)
	require.Empty(t, tape.Compare(one, other))
	fewer := parse(t, `< T1 note x`, `< - note configWarning {"n":1}`, `< - note configWarning {"n":2}`)
	require.Len(t, tape.Compare(one, fewer), 1, "but not be missing")
}

func TestABreakWithinAnEventIsOneWhereverItIs(t *testing.T) {
	whole := answered(t, 1, hello)
	for _, bytes := range []int{10, 60} {
		bubble(t, fmt.Sprint(bytes), func(t *testing.T) {
			reply := hello
			reply.Cut = &mockprovider.Cut{Bytes: bytes}
			r := play(t, parse(t, slices.Concat(
				[]string{`> T1 note go {"threadId":"T1"}`, `? T1 request 1 turn ` + request}, whole[:2], // the event counts as sent
				[]string{`~ T1 event 1 cut`, `< T1 note sawTheCut`})...), reply)
			require.Equal(t, []string{`{"method":"sawTheCut"}`}, r.say(`{"method":"go","params":{"threadId":"T1"}}`))
			r.close()
			require.Empty(t, r.departed)
		})
	}
}
