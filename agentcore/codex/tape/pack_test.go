package tape_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
)

// notes is a tape with a note for each value.
func notes(values ...string) *tape.Tape {
	t := &tape.Tape{
		Head:     tape.Head{Codex: "0.171.0", Recorder: tape.Recorder, Scenario: "sha256:00"},
		Sections: []tape.Section{{Agent: "main"}},
	}
	for _, v := range values {
		t.Sections[0].Lines = append(t.Sections[0].Lines, tape.Line{Mark: tape.Codex, Verb: tape.Note, Name: "n", Data: json.RawMessage(v)})
	}
	return t
}

func TestValuesThatOccurAgainAreStoredOnce(t *testing.T) {
	long := strings.Repeat("abcdefghij", 5)
	item := `{"role":"user","text":"` + long + `"}`
	data, err := tape.Format(notes(`{"input":[`+item+`]}`, `{"input":[`+item+`,{"role":"user"}]}`, `{"text":"`+long+`"}`))
	require.NoError(t, err)
	require.Contains(t, string(data), `spawn main
value 1 "`+long+`"
value 2 {"role":"user","text":"{{@1}}"}
< - note n {"input":["{{@2}}"]}
< - note n {"input":["{{@2}}",{"role":"user"}]}
< - note n {"text":"{{@1}}"}
`)
}

func TestTextThatRepeatsItselfIsCut(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a letter", strings.Repeat("x", 12_000), "{{*12000:x}}"},
		{"a word between others", "ab " + strings.Repeat("word ", 100) + "wo.", "ab{{*100: word}} wo."},
		{"lines", strings.Repeat(`line\n`, 200), `{{*200:line\n}}`},
		{"letters of several bytes", strings.Repeat("ö", 200), "{{*200:ö}}"},
		{"escaped letters", strings.Repeat(`\"`, 200), `{{*200:\"}}`},
		{"too short to matter", strings.Repeat("x", 100), strings.Repeat("x", 100)},
		{"what a placeholder could be taken for", strings.Repeat("{}", 200), strings.Repeat("{}", 200)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data, err := tape.Format(notes(`"` + tt.text + `"`))
			require.NoError(t, err)
			require.Contains(t, string(data), `note n "`+tt.want+`"`+"\n")
			back, err := tape.Parse(data)
			require.NoError(t, err)
			require.Equal(t, `"`+tt.text+`"`, string(back.Sections[0].Lines[0].Data))
		})
	}
}

func TestWhatIsPackedComesBack(t *testing.T) {
	deep := `{"a":[1,-2.50,true,null,"",[],{}],"b":{"c":"{\"d\":[\"` + strings.Repeat("e", 300) + `\"]}","é":"\\"}}`
	all := notes(deep, `[`+deep+`,`+deep+`]`, `"`+strings.Repeat("y", 500)+`"`, `null`, `12345678901234567890`, "")
	data, err := tape.Format(all)
	require.NoError(t, err)
	back, err := tape.Parse(data)
	require.NoError(t, err)
	for i, l := range all.Sections[0].Lines {
		require.Equal(t, string(l.Data), string(back.Sections[0].Lines[i].Data))
	}
}

// A value of values of values grows by ten with each line.
func bomb() string {
	var b strings.Builder
	fmt.Fprintf(&b, "value 1 \"%s\"\n", strings.Repeat("x", 100))
	for i := 1; i < 12; i++ {
		ref := fmt.Sprintf(`"{{@%d}}"`, i)
		fmt.Fprintf(&b, "value %d [%s]\n", i+1, strings.TrimSuffix(strings.Repeat(ref+",", 10), ","))
	}
	return b.String() + `< - note a "{{@12}}"`
}

func TestPackedValuesThatAreNoneAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, lines, says string }{
		{"a bomb", bomb(), "more than the 16777216 bytes"},
		{"a long run", `< - note a "{{*16000000:xxxxxxxx}}"`, "longer than the 16777216 bytes"},
		{"many long runs", `< - note a ["{{*9000000:x}}","{{*9000000:x}}"]`, "more than the 16777216 bytes"},
		{"a number that is none", `< - note a "{{*1e9:x}}"`, "is no value"},
		{"a negative number", `< - note a "{{*-1:x}}"`, "is no value"},
		{"no end", `< - note a "{{*5:x"`, "has no end"},
		{"a value that is not above", `< - note a "{{@1}}"`, "there is no value 1 above"},
		{"a value that holds itself", `value 1 ["{{@1}}"]`, "there is no value 1 above"},
		{"a value in the middle of a text", "value 1 [1]\n" + `< - note a "x{{@1}}"`, "does not stand for a value"},
		{"a value out of turn", "value 2 [1]", "stands where 1 is due"},
		{"a value that nothing needs", "value 1 [1]\n" + `< - note a "{{@1}}"`, "not as a recorder writes it"},
		{"a value too deep", "value 1 " + strings.Repeat("[", 35) + strings.Repeat("]", 35) + "\n" +
			"< - note a " + strings.Repeat("[", 10) + `"{{@1}}"` + strings.Repeat("]", 10), "nest deeper"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tape.Parse(sealed(head + "spawn main\n" + tt.lines + "\nexit {\"asked\":\"close\",\"code\":0}\n"))
			require.ErrorContains(t, err, tt.says)
			require.Less(t, len(err.Error()), 300)
		})
	}
}

func TestATextThatLooksPackedIsNotWritten(t *testing.T) {
	for _, v := range []string{`"{{@1}}"`, `{"{{*9:x}}":1}`} {
		_, err := tape.Format(notes(v))
		require.ErrorContains(t, err, "what only stands in packed values")
	}
}
