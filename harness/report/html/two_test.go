package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/report"
)

func TestTwoReportsInChromium(t *testing.T) {
	left, right := issue5728(), issue5728()
	left.Name, right.Name = "codex 0.159.1", "codex 0.171.0"
	right.Variants = right.Variants[:1]
	changed := steered()
	changed.Result.Variant = right.Variants[0].Result.Variant
	right.Variants[0] = changed
	right.Variants = append(right.Variants, Variant{Result: report.Result{Scenario: "only/right", Verdict: report.Skip, Reason: "needs a newer codex"}})
	var page strings.Builder
	b := startChromium(t)
	require.NoError(t, Diff(&page, left, right))
	p := b.open(t, saved(t, page.String()), "", 1200, 800)
	require.Equal(t, 6.0, p.number("document.querySelectorAll('.overview tbody tr').length"))
	var missing []string
	p.eval("[...document.querySelectorAll('tr.missing')].map((tr) => tr.textContent)", &missing)
	require.Equal(t, []string{"—not in codex 0.171.0", "—not in codex 0.159.1"}, missing)
	p.follow(".overview tbody tr:nth-of-type(6) a") // nothing was played
	require.Contains(t, p.text(".summary"), "needs a newer codex")
	require.Equal(t, 0.0, p.number("document.querySelectorAll('.lanes').length"))
	p.follow(".crumbs a")
	p.follow(".overview tbody tr:nth-of-type(2) a")
	require.Equal(t, 2.0, p.number("document.querySelectorAll('.summary').length"))
	require.Equal(t, 2.0, p.number("document.querySelectorAll('.lanes').length"))
	require.Contains(t, p.text(".comparison"), "timeline: different")
	require.Contains(t, p.text(".comparison li.opgone"), "compaction: aborted")
	p.follow(".sides .summary:nth-of-type(1) .links a")
	require.Equal(t, fmt.Sprint(places(replaced().Result.Failures[0], replaced())[0]), p.attribute(".detail", "data-seq"))
	p.quiet()
}

func TestListsAreAlignedInChromium(t *testing.T) {
	p := startChromium(t).open(t, saved(t, written(t, issue5728())), "", 800, 600)
	for _, tt := range []struct{ a, b, want string }{
		{"", "", ""}, {"abc", "abc", "=a=b=c"}, {"", "ab", "+a+b"}, {"ab", "", "-a-b"},
		{"abcd", "bdx", "-a=b-c=d+x"}, {"xaby", "abzy", "-x=a=b+z=y"}, {"aab", "ab", "=a-a=b"}, {"cab", "abc", "-c=a=b+c"},
	} {
		var got string
		p.eval(fmt.Sprintf(`align([...%q], [...%q]).map((l) => l.op + (l.op === '+' ? %[2]q[l.b] : %[1]q[l.a])).join('')`, tt.a, tt.b), &got)
		require.Equal(t, tt.want, got, "%s to %s", tt.a, tt.b)
	}
	p.quiet()
}
