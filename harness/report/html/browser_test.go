package html

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
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

// A model, a tool or a stranger's scenario may say anything.
func TestHostileTextStaysTextInChromium(t *testing.T) {
	b := startChromium(t)
	const evil = `</script></pre><img src=x onerror="window.hurt=1"><script>window.hurt=1</script><a href="javascript:hurt=1">x</a> {{script}} \u202e end`
	text := evil + "\u202e\x1b[31m\u0000\U000e0041"
	quotedText, _ := json.Marshal(text)
	body := fmt.Sprintf(`{"model":%s,%s:1,"input":[{"type":"message","role":%s,"content":[{"type":"input_text","text":%s}]},{"type":%s,"__proto__":{"role":"x"}},null,7,"x",{"type":"message","content":7}]}`,
		quotedText, quotedText, quotedText, quotedText, quotedText)
	line, _ := json.Marshal(map[string]any{"method": text, "params": map[string]any{"item": map[string]any{"text": text}}})
	bodies := []eventlog.Body{
		eventlog.StepBegan{Index: 1, Title: text}, eventlog.SendBegan{Send: 1, Text: text}, eventlog.Row{Seq: 1, Kind: text, Text: text, Name: text},
		eventlog.Request{ID: 1, Class: text, Texts: []string{text}, Payload: json.RawMessage(body), Header: map[string][]string{text: {text}}},
		eventlog.Held{ID: 1, Gate: text}, eventlog.Sent{ID: 1, What: text, Data: json.RawMessage(quotedText)}, eventlog.FromCodex{Line: line},
		eventlog.FromCodex{Line: json.RawMessage(evil)}, eventlog.Stderr{Text: text}, eventlog.Turn{ID: text, Status: text, Error: text},
		eventlog.Notice{Level: text, Text: text}, eventlog.Permission{Title: text}, eventlog.Rollout{Lines: []json.RawMessage{line}}, eventlog.Outside{Host: text},
		eventlog.Request{ID: 2, Class: "__proto__", Payload: json.RawMessage(`[1]`)}, eventlog.FromCodex{Line: json.RawMessage(`null`)}, eventlog.FromCodex{Line: json.RawMessage(`{"method":"m","params":{"item":null,"input":7,"turn":0}}`)},
	}
	var events []eventlog.Event
	for i, body := range bodies {
		events = append(events, eventlog.Event{Seq: i + 1, Agent: []string{text, "__proto__"}[i%2], Body: body})
	}
	v := Variant{Events: events, Result: report.Result{
		Scenario: text, File: text, Verdict: report.Verdict(text), Reason: text, Variant: report.Variant{{Name: text, Value: text}},
		Delivered: []string{text}, Lost: []string{text}, Timeline: []report.Row{{Text: text, Agent: text, Mark: text}}, Notes: []string{text}, Command: text,
		Failures: []report.Failure{{File: text, What: text, Want: text, Got: text + "\n" + text, Detail: text}}, Known: &report.Known{Issue: text, Fails: []string{text}},
	}}
	p := b.open(t, saved(t, written(t, Report{Name: text, Variants: []Variant{v}})), "", 1200, 800)
	require.Contains(t, p.text("table"), "<script>window.hurt=1</script>")
	p.follow(".overview a")
	for range bodies {
		p.key("ArrowDown")
		p.eval("document.querySelectorAll('details').forEach((d) => { d.open = true; })", nil)
		p.frame()
	}
	require.Contains(t, p.text(".detail"), "m")
	var found []string
	p.eval("[...document.body.querySelectorAll('img, iframe, a[href^=javascript], #app script, [onerror]')].map((n) => n.outerHTML)", &found)
	require.Empty(t, found)
	require.False(t, strings.ContainsAny(p.text("#app"), "\u202e\x1b\x00\U000e0041"))
	require.Contains(t, p.text("#app"), `\u202e\x1b[31m\x00\U000e0041`)
	require.Equal(t, 0.0, p.number("window.hurt || 0"))
	p.quiet()
}

// The policy is a second wall: what would get past the escaping is refused.
func TestThePolicyRefusesWhatIsNotThePages(t *testing.T) {
	b := startChromium(t)
	p := b.open(t, saved(t, written(t, issue5728())), "", 1200, 800)
	var outcome []string
	p.eval(`(async () => {
		const out = [];
		const tryIt = async (name, f) => { try { await f(); out.push(name + ' allowed'); } catch { out.push(name + ' refused'); } };
		await tryIt('fetch', () => fetch('http://127.0.0.1:9/'));
		await tryIt('markup', () => { document.body.innerHTML += '<b>x</b>'; });
		const script = document.createElement('script');
		await tryIt('script', () => { script.textContent = 'window.hurt = 1'; document.body.append(script); if (!window.hurt) throw 0; });
		await tryIt('image', () => new Promise((ok, bad) => { const i = new Image(); i.onload = ok; i.onerror = bad; i.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='; }));
		return out;
	})()`, &outcome)
	require.Equal(t, []string{"fetch refused", "markup refused", "script refused", "image refused"}, outcome)
	p.mu.Lock()
	defer p.mu.Unlock()
	require.NotEmpty(t, p.faults) // the browser says why
}

// fluid is what one interaction with a run of 5,000 events may take. The time by
// the clock is logged and not judged: it tells more of the machine than of the
// page when other tests run beside this one.
const fluid = 100 * time.Millisecond

func TestALargeRunIsFluidInChromium(t *testing.T) {
	b := startChromium(t)
	p := b.open(t, saved(t, written(t, large(5000))), "", 1280, 900)
	p.do("Performance.enable", map[string]any{"timeDomain": "threadTicks"}, nil)
	press := func(key string) string {
		return fmt.Sprintf("document.dispatchEvent(new KeyboardEvent('keydown', {key: '%s', bubbles: true}))", key)
	}
	search := func(words string) string {
		return fmt.Sprintf("(() => { const s = document.getElementById('search'); s.value = '%s'; s.dispatchEvent(new Event('input')); })()", words)
	}
	for _, act := range []struct{ name, undo, do string }{
		{"open the variant", "location.hash = ''; models.clear()", "location.hash = '#v=0'"},
		{"next event", "", press("j")},
		{"last event", press("k"), press("End")},
		{"first event", press("End"), press("Home")},
		{"a request of a long conversation", press("Home"), "select([...view.model.requests.values()].at(-1).seq)"},
		{"scroll the list", "view.list.box.scrollTop = 0", "view.list.box.scrollTop += 40000"},
		{"scroll the lanes", "view.lanes[0].scroller.scrollLeft = 0", "view.lanes[0].scroller.scrollLeft += 20000"},
		{"search", search("") + "; lowered = undefined; view.model.events.forEach((e) => { delete e.hay; })", search("turn 12")},
		{"search on", search("turn 1"), search("turn 12")},
		{"hide the wire", "document.querySelector('.chip.wire').click()", "document.querySelector('.chip.wire').click()"},
		{"time", "view.lanes[0].setScale('order')", "view.lanes[0].setScale('time')"},
		{"the whole run in sight", "view.lanes[0].setScale('order')", "view.lanes[0].fit()"},
		{"next event with the whole run in sight", press("Home"), press("j")},
	} {
		wall, cpu := p.best(act.undo, act.do)
		t.Logf("%-40s %6.1f ms, %5.1f ms of them at work", act.name, wall.Seconds()*1000, cpu.Seconds()*1000)
		require.Less(t, cpu, fluid, act.name)
	}
	require.Less(t, p.number("document.querySelectorAll('.row').length"), 200.0)
	p.quiet()
}

// best is the shortest of a few tries.
func (p *tab) best(undo, do string) (wall, cpu time.Duration) {
	p.t.Helper()
	wall, cpu = time.Hour, time.Hour
	for range 5 {
		p.eval("void (() => { "+undo+" })()", nil)
		p.frame()
		w, c := p.took(do)
		wall, cpu = min(wall, w), min(cpu, c)
	}
	return wall, cpu
}

func (p *tab) attribute(selector, name string) string {
	p.t.Helper()
	var s string
	p.eval(fmt.Sprintf("document.querySelector(%q)?.getAttribute(%q) ?? 'none'", selector, name), &s)
	return s
}

func (p *tab) inSight(selector string) bool {
	p.t.Helper()
	return p.number(fmt.Sprintf(`(() => {
		const box = document.querySelector(%q).getBoundingClientRect();
		return box.top < innerHeight && box.bottom > 0 ? 1 : 0;
	})()`, selector)) == 1
}

// sticksOut lists what is cut off at the right edge of a narrow screen, but for
// what scrolls by itself.
func (p *tab) sticksOut() []string {
	p.t.Helper()
	var list []string
	p.eval(`[...document.querySelectorAll('button, a, input, h2, h3, h4, p, li, dd, td, summary')]
		.filter((n) => !n.closest('.skip, .scroller, .row') && n.getBoundingClientRect().right > innerWidth + 1)
		.map((n) => n.outerHTML.slice(0, 200))`, &list)
	return list
}

// readable checks the contrast of all kinds of text against what is behind it.
func (p *tab) readable(dark bool) {
	p.t.Helper()
	var bad []string
	p.eval(`[...document.querySelectorAll('main *, header *')].filter((n) => !n.closest('svg') && [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim()))
		.filter((n) => n.checkVisibility() && contrast(n) < 4.5).map((n) => contrast(n).toFixed(1) + ' ' + n.outerHTML.slice(0, 120))`, &bad)
	require.Empty(p.t, bad, "dark: %v", dark)
}
