package html

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
)

func written(t *testing.T, r Report) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, Write(&b, r))
	return b.String()
}

// dataOf is the page's data as its scripts read it.
func dataOf(t *testing.T, html string) page {
	t.Helper()
	_, rest, ok := strings.Cut(html, `id="data">`)
	require.True(t, ok)
	text, _, _ := strings.Cut(rest, "</script>")
	var p page
	require.NoError(t, json.Unmarshal([]byte(text), &p))
	return p
}

func TestThePageRefersToNothingOutside(t *testing.T) {
	html := written(t, Report{})
	require.Contains(t, html, "default-src 'none'")
	require.NotRegexp(t, `(?i)(src|href)="?https?:|@import|url\(`, html)
	for _, literal := range regexp.MustCompile(`https?://[^'" ]*`).FindAllString(html, -1) {
		require.Equal(t, "http://www.w3.org/2000/svg", literal) // a name, no address
	}
}

func TestOnePageOfTheSameRunIsTheSame(t *testing.T) {
	require.Equal(t, written(t, issue5728()), written(t, issue5728()))
}

func TestMarkupInTheDataIsEscaped(t *testing.T) {
	const evil = "</script><script>alert(1)</script><!--"
	v := steered()
	v.Events = append(v.Events, eventlog.Event{Seq: 999, Agent: evil, Body: eventlog.Row{Kind: "assistant", Text: evil}},
		eventlog.Event{Seq: 1000, Body: eventlog.FromCodex{Line: json.RawMessage(evil)}},
		eventlog.Event{Seq: 1001, Body: eventlog.Request{ID: 9, Payload: json.RawMessage(evil)}})
	v.Result.Delivered = []string{evil}
	html := written(t, Report{Variants: []Variant{v}})
	require.NotContains(t, html, evil)
	require.Equal(t, 2, strings.Count(html, "</script>"))
	p := dataOf(t, html)
	require.Contains(t, p.Pool, evil)
}

// What came over a wire need not be JSON, and must not spoil the page.
func TestRawPartsMayBeAnything(t *testing.T) {
	raw := json.RawMessage("{\"a\": \xff nonsense")
	events := []eventlog.Event{
		{Seq: 1, Body: eventlog.ToCodex{Line: raw}}, {Seq: 2, Body: eventlog.FromCodex{Line: nil}},
		{Seq: 3, Body: eventlog.Request{ID: 1, Payload: raw}}, {Seq: 4, Body: eventlog.Sent{ID: 1, Data: raw}},
		{Seq: 5, Body: eventlog.Rollout{Lines: []json.RawMessage{raw}}}, {Seq: 6, Body: eventlog.Request{ID: 2}},
	}
	p := dataOf(t, written(t, Report{Variants: []Variant{{Result: report.Result{Scenario: "a"}, Events: events}}}))
	require.Len(t, p.Reports[0].Variants[0].Events, 6)
	require.Equal(t, map[string]any{"line": "{\"a\": \ufffd nonsense"}, p.Reports[0].Variants[0].Events[0].Data)
}

func TestBodiesAreTakenApartAndKeptOnce(t *testing.T) {
	p := pool{index: map[string]int{}}
	first := p.members([]byte(`{"model":"m","input":[{"a":1},{"b":2}],"tools":[]}`))
	second := p.members([]byte(`{"model":"m","input":[{"a":1},{"b":2},{"c":3}],"tools":[]}`))
	require.Equal(t, []member{{"model", 0, nil}, {"input", -1, []int{1, 2}}, {"tools", 3, nil}}, first)
	require.Equal(t, []member{{"model", 0, nil}, {"input", -1, []int{1, 2, 4}}, {"tools", 3, nil}}, second)
	require.Equal(t, []string{`"m"`, `{"a":1}`, `{"b":2}`, `[]`, `{"c":3}`}, p.texts)
}

func TestAGrowingConversationGrowsThePageByWhatIsNew(t *testing.T) {
	small, big := len(written(t, large(1000))), len(written(t, large(4000)))
	require.Less(t, big, 6*small)
}
