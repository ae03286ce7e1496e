package tape_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/mockprovider"
)

func TestWhatAnAnswerGivesBackIsNamedByItsPlace(t *testing.T) {
	const asked = `{"input":[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"user","content":"a"}]}`
	for _, c := range []struct{ name, answer, asked, want string }{
		{"members in another order", `{"id":"x","output":[{"content":"b","role":"user"},{"own":1}]}`, asked, `{"id":"x","output":[{"input":1},{"own":1}]}`},
		{"the first of equal ones", `{"output":[{"content":"a","role":"user"}]}`, asked, `{"output":[{"input":0}]}`},
		{"nothing given back", `{"output": [{"own":1}]}`, asked, `{"output": [{"own":1}]}`},
		{"nothing asked", `{"output": []}`, ``, `{"output": []}`},
		{"an input that is a text", `{"output": ["a"]}`, `{"input":"a"}`, `{"output": ["a"]}`},
		{"no JSON", `no <b>JSON</b>`, asked, `no <b>JSON</b>`},
		{"no output", `{"error": {"code":"x"}}`, asked, `{"error": {"code":"x"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, string(tape.GivenBack([]byte(c.answer), []byte(c.asked))))
		})
	}
}

// The old compaction endpoint gives the user's messages back; of a text of
// codex's own a tape has the length only, and its members are sorted.
func TestAnAnswerThatGivesItemsBackIsCompared(t *testing.T) {
	const asked = `? T1 request 1 compaction.v1 {"body":{"input":[` +
		`{"content":"{{codex 40 9ad1e0aa:<environment_context>}}","role":"user","type":"message"}],"model":"m"},"method":"POST","path":"/v1/responses/compact"}`
	const given = `{"created_at":1767225600,"id":"resp_co1","object":"response.compaction","output":[{"input":0},` +
		`{"encrypted_content":"SUMMARY","id":"cmp_co1","type":"compaction"}],` +
		`"usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":0},"output_tokens":0,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":100}}`
	digest := tape.NewHide(nil).Digest([]byte(given))
	for name, c := range map[string]struct {
		summary string
		departs bool
	}{"the same": {"SUMMARY", false}, "another summary": {"OTHER", true}} {
		bubble(t, name, func(t *testing.T) {
			r := play(t, parse(t, `> T1 note go {"threadId":"T1"}`, asked, `~ T1 event 1 headers`, `~ T1 event 1 body `+string(digest), `~ T1 event 1 end`, `< T1 note saw`),
				mockprovider.Reply{To: mockprovider.AnyCompaction, Compaction: []string{c.summary}})
			r.say(`{"method":"go","params":{"threadId":"T1"}}`)
			r.close()
			require.Equal(t, c.departs, len(r.departed) > 0, "%s", r.departed)
		})
	}
}
