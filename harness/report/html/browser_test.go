package html

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/harness/eventlog"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func saved(t *testing.T, html string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(file, []byte(html), 0o600))
	return file
}

// seqOf is the number of the first event that the check takes.
func seqOf(v Variant, is func(eventlog.Body) bool) int {
	for _, e := range v.Events {
		if is(e.Body) {
			return e.Seq
		}
	}
	return 0
}

func kindOf(v Variant, seq int) string { return eventlog.Kind(v.Events[seq-1].Body) }

func TestInChromium(t *testing.T) {
	b := startChromium(t)
	file := saved(t, written(t, issue5728()))

	t.Run("the overview leads to a variant, and back", func(t *testing.T) {
		p := b.open(t, file, "", 1200, 800)
		require.Equal(t, 2.0, p.number("document.querySelectorAll('.overview tbody tr').length"))
		require.Contains(t, p.text(".overview tbody tr"), "known failure")
		p.follow(".overview tbody a")
		require.Contains(t, p.text("h2"), "send=replace")
		require.Equal(t, 2.0, p.number("document.querySelectorAll('.failure').length"))
		p.follow(".crumbs a")
		require.Equal(t, 1.0, p.number("document.querySelectorAll('.overview').length"))
		p.quiet()
	})

	t.Run("a failure leads to its place", func(t *testing.T) {
		p := b.open(t, file, "#v=0", 1200, 400)
		p.follow(".failure:nth-of-type(2) .links a")
		want := places(replaced().Result.Failures[1], replaced())[0]
		require.Equal(t, float64(want), p.number("Number(document.querySelector('.detail').dataset.seq)"))
		require.Contains(t, p.text(".lead"), "compaction: aborted")
		require.Equal(t, fmt.Sprint("event", want), p.attribute(".list", "aria-activedescendant"))
		require.Equal(t, 1.0, p.number("document.querySelectorAll('.chosen').length"))
		require.Less(t, p.number("document.querySelector('.lanes').getBoundingClientRect().top"), 100.0) // scrolled to
		p.key("n")                                                                                       // the next place of a failure
		require.Greater(t, p.number("Number(document.querySelector('.detail').dataset.seq)"), float64(want))
		p.quiet()
	})

	t.Run("keys go from event to event", func(t *testing.T) {
		p := b.open(t, file, "#v=0", 1200, 800)
		for _, step := range []struct {
			key  string
			want int
		}{{"ArrowDown", 1}, {"j", 2}, {"ArrowRight", 3}, {"ArrowUp", 2}, {"End", len(replaced().Events)}, {"Home", 1}} {
			p.key(step.key)
			require.Equal(t, float64(step.want), p.number("Number(document.querySelector('.detail').dataset.seq)"), step.key)
			require.True(t, p.inSight("[aria-selected=true]"), step.key)
		}
		p.key("Enter")
		require.Equal(t, "detail", p.attribute(":focus", "id"))
		p.key("Escape")
		require.Equal(t, "list", p.attribute(":focus", "id"))
		p.key("?")
		require.Contains(t, p.text("dialog"), "next event")
		p.key("Escape")
		require.Equal(t, 0.0, p.number("document.querySelectorAll('dialog').length"))
		p.quiet()
	})

	t.Run("a click in the lanes or the list selects", func(t *testing.T) {
		v := replaced()
		p := b.open(t, file, "#v=0", 1200, 800)
		held := seqOf(v, is[eventlog.Held])
		p.click(fmt.Sprintf(".mark.Held[data-i='%d']", held-1))
		require.Equal(t, fmt.Sprint(held), p.attribute(".detail", "data-seq"))
		require.Contains(t, p.text(".detail"), "summary")
		p.key("Home")
		p.click("#event3")
		require.Equal(t, "3", p.attribute(".detail", "data-seq"))
		p.follow(".detail .links a") // the answer of the call
		require.Equal(t, "4", p.attribute(".detail", "data-seq"))
		p.quiet()
	})

	t.Run("everything that lasts is drawn", func(t *testing.T) {
		p := b.open(t, file, "#v=0", 2400, 800)
		for class, want := range map[string]int{"send": 4, "turn": 4, "compaction": 3, "request": 5, "hold": 3, "process": 1} {
			require.Equal(t, float64(want), p.number(fmt.Sprintf("document.querySelectorAll('.spacer .span.%s').length", class)), class)
		}
		require.Equal(t, 2.0, p.number("document.querySelectorAll('.spacer .span.compaction.aborted').length"))
		require.Equal(t, 0.0, p.number("document.querySelectorAll('.spacer .span.open').length"))
		require.Equal(t, 1.0, p.number("document.querySelectorAll('.spacer .span.hold.released').length"))
		require.Equal(t, 1.0, p.number("document.querySelectorAll('.spacer .mark.Released').length"))
		order := p.number("document.querySelector('.spacer .span.hold').getBoundingClientRect().width")
		p.key("t")
		require.Contains(t, p.text(".tools button"), "time")
		require.NotEqual(t, order, p.number("document.querySelector('.spacer .span.hold').getBoundingClientRect().width"))
		p.quiet()
	})

	t.Run("the first look shows what it is about, all of it, and what ended the compactions", func(t *testing.T) {
		for _, width := range []int{1280, 360} {
			p := b.open(t, file, "#v=0", width, 800)
			require.Equal(t, replaced().Result.About, p.text(".about"))
			require.Contains(t, p.text(".summary"), "fails as it is known to, in compactions and timeline")
			require.Equal(t, p.number("document.querySelector('.scroller').clientWidth"), p.number("document.querySelector('.scroller').scrollWidth"))
			p.quiet()
		}
		p := b.open(t, file, "#v=0", 1280, 800)
		var words []string
		p.eval("[...document.querySelectorAll('.spacer text.call')].map((n) => n.textContent)", &words)
		require.Equal(t, []string{"interrupt", "interrupt"}, words)
		for _, prompt := range prompts {
			require.Contains(t, p.text(".spacer svg"), prompt)
		}
		p = b.open(t, file, "#v=1", 1280, 800)
		p.eval("[...document.querySelectorAll('.spacer text.call')].map((n) => n.textContent)", &words)
		require.Equal(t, []string{"steer", "steer"}, words)
	})

	t.Run("a request is a conversation against the one before", func(t *testing.T) {
		v := replaced()
		compaction := seqOf(v, func(b eventlog.Body) bool { r, ok := b.(eventlog.Request); return ok && r.ID == 2 })
		p := b.open(t, file, fmt.Sprintf("#v=0&e=%d", compaction), 1200, 800)
		require.Contains(t, p.text(".detail"), "4 the same, 2 new, 0 gone")
		require.Contains(t, p.text(".item.user.opnew"), "Summarize the conversation")
		require.Contains(t, p.text(".item.assistant.opnew"), "reply 1")
		require.Equal(t, 0.0, p.number("document.querySelectorAll('.item.opsame').length"))
		p.click(".unchanged summary")
		require.Equal(t, 4.0, p.number("document.querySelectorAll('.item.opsame').length"))
		require.Contains(t, p.text(".member.changed"), "parallel_tool_calls")
		p.click(".whole summary")
		whole := p.text(".whole pre")
		require.JSONEq(t, string(v.Events[compaction-1].Body.(eventlog.Request).Payload), whole)
		p.quiet()
	})

	t.Run("search looks into bodies", func(t *testing.T) {
		p := b.open(t, file, "#v=0", 1200, 800)
		p.key("/")
		p.write(`summarize THE conversation`)
		require.Contains(t, p.text(".events [role=status]"), "3 of")
		p.key("Enter")
		require.Equal(t, "Request", kindOf(replaced(), int(p.number("Number(document.querySelector('.detail').dataset.seq)"))))
		p.key("Escape")
		require.Equal(t, "103 events", p.text(".events [role=status]"))
		p.click(".chip.wire")
		require.Contains(t, p.text(".events [role=status]"), "of 103")
		require.Equal(t, 0.0, p.number("document.querySelectorAll('.row.wire').length"))
		p.quiet()
	})

	t.Run("light and dark", func(t *testing.T) {
		p := b.open(t, file, "#v=0&e=38", 1200, 800)
		p.eval(contrast, nil)
		for _, dark := range []bool{false, true} {
			p.dark(dark)
			require.Equal(t, dark, p.number("luminance(getComputedStyle(document.body).backgroundColor)") < 0.2)
			p.readable(dark)
		}
		p.click("[aria-label='light or dark']")
		p.readable(false)
		p.quiet()
	})

	t.Run("360 pixels are enough", func(t *testing.T) {
		words := saved(t, written(t, Report{Variants: []Variant{longWords()}}))
		for _, at := range []struct{ file, place string }{{file, ""}, {file, "#v=0&e=38"}, {file, "#v=1"}, {words, ""}, {words, "#v=0&e=1"}} {
			p := b.open(t, at.file, at.place, 360, 740)
			require.LessOrEqual(t, p.number("document.documentElement.scrollWidth"), 360.0, at)
			require.Empty(t, p.sticksOut(), at)
			p.quiet()
		}
	})

	t.Run("paper has the whole list", func(t *testing.T) {
		p := b.open(t, file, "#v=0&e=38", 1200, 800)
		before := p.number("document.querySelectorAll('.row').length")
		p.eval("beforePrint()", nil)
		require.Equal(t, 103.0, p.number("document.querySelectorAll('.row').length"))
		require.Equal(t, 3.0, p.number("document.querySelectorAll('.spacer .span.hold').length"))
		p.eval("afterPrint()", nil)
		require.Equal(t, before, p.number("document.querySelectorAll('.row').length"))
		p.quiet()
	})
}
