package html

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
)

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
