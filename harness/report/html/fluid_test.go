package html

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

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

// took is how long an expression and the drawing after it take, by the clock
// and of the processor: of the page's main thread, whatever else runs.
func (p *tab) took(expression string) (wall, cpu time.Duration) {
	p.t.Helper()
	before := p.busy()
	wall = time.Duration(p.number(fmt.Sprintf(`(async () => {
		const began = performance.now();
		%s;
		await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
		return performance.now() - began;
	})()`, expression)) * float64(time.Millisecond))
	return wall, p.busy() - before
}

func (p *tab) busy() time.Duration {
	p.t.Helper()
	var got struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	p.do("Performance.getMetrics", nil, &got)
	for _, m := range got.Metrics {
		if m.Name == "TaskDuration" {
			return time.Duration(m.Value * float64(time.Second))
		}
	}
	require.Fail(p.t, "chromium does not tell how busy the page was")
	return 0
}
