package html

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// tab is one page in the browser.
type tab struct {
	t       *testing.T
	b       *browser
	session string
	loaded  chan struct{}

	mu     sync.Mutex
	asked  []string // addresses that were requested
	faults []string // exceptions, and what the content policy refused
}

// open shows a page and returns when it has loaded.
func (b *browser) open(t *testing.T, file, fragment string, width, height int) *tab {
	t.Helper()
	p := &tab{t: t, b: b, loaded: make(chan struct{}, 8)}
	var target struct{ TargetID string }
	require.NoError(t, b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target))
	var attached struct{ SessionID string }
	require.NoError(t, b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached))
	p.session = attached.SessionID
	b.mu.Lock()
	b.sessions[p.session] = p.told
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		p.do(domain+".enable", nil, nil)
	}
	p.size(width, height)
	p.do("Page.navigate", map[string]any{"url": "file://" + file + fragment}, nil)
	<-p.loaded
	p.frame()
	t.Cleanup(func() { _ = b.call("", "Target.closeTarget", map[string]any{"targetId": target.TargetID}, nil) })
	return p
}

func (p *tab) told(method string, params json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch method {
	case "Page.loadEventFired":
		p.loaded <- struct{}{}
	case "Network.requestWillBeSent":
		var got struct{ Request struct{ URL string } }
		_ = json.Unmarshal(params, &got)
		p.asked = append(p.asked, got.Request.URL)
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		p.faults = append(p.faults, method+" "+string(params))
	}
}

func (p *tab) do(method string, params, result any) {
	p.t.Helper()
	require.NoError(p.t, p.b.call(p.session, method, params, result))
}

func (p *tab) size(width, height int) {
	p.t.Helper()
	p.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// dark sets what the system prefers.
func (p *tab) dark(dark bool) {
	p.t.Helper()
	value := map[bool]string{true: "dark", false: "light"}[dark]
	p.do("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": value}}}, nil)
	p.frame()
}

// eval gives the value of an expression; a promise is awaited.
func (p *tab) eval(expression string, into any) {
	p.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	p.do("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &got)
	require.Nil(p.t, got.ExceptionDetails, "%s: %+v", expression, got.ExceptionDetails)
	if into != nil {
		require.NoError(p.t, json.Unmarshal(got.Result.Value, into), expression)
	}
}

func (p *tab) text(selector string) string {
	p.t.Helper()
	var s string
	p.eval(fmt.Sprintf("document.querySelector(%q).textContent", selector), &s)
	return s
}

func (p *tab) number(expression string) float64 {
	p.t.Helper()
	var n float64
	p.eval(expression, &n)
	return n
}

// frame waits until what was asked for has been drawn.
func (p *tab) frame() {
	p.t.Helper()
	p.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))).then(() => 0)", nil)
}

// key presses and lets go of a key, as a keyboard does.
func (p *tab) key(key string) {
	p.t.Helper()
	press := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		press["text"] = key
	} else if code := map[string]int{"Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowUp": 38, "ArrowDown": 40, "ArrowLeft": 37, "ArrowRight": 39, "Tab": 9}[key]; code != 0 {
		press["windowsVirtualKeyCode"] = code
	}
	p.do("Input.dispatchKeyEvent", press, nil)
	p.do("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
	p.frame()
}

func (p *tab) write(text string) {
	p.t.Helper()
	p.do("Input.insertText", map[string]any{"text": text}, nil)
	p.frame()
}

// click clicks the middle of the first element of a selector.
func (p *tab) click(selector string) {
	p.t.Helper()
	var at struct{ X, Y float64 }
	p.eval(fmt.Sprintf(`(() => {
		const node = document.querySelector(%q);
		node.scrollIntoView({block: 'center'});
		const box = node.getClientRects()[0];
		return {x: box.x + box.width / 2, y: box.y + box.height / 2};
	})()`, selector), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		p.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
	}
	p.frame()
}

// follow clicks a link to another place of the page and waits until it is there.
func (p *tab) follow(selector string) {
	p.t.Helper()
	p.eval(`void (window.arrived = new Promise((done) => {
		window.addEventListener('hashchange', () => done(true), {once: true});
		setTimeout(() => done(false), 10000); // a link that leads nowhere
	}))`, nil)
	p.click(selector)
	var arrived bool
	p.eval("window.arrived", &arrived)
	require.True(p.t, arrived, "%s leads nowhere; %v", selector, p.faults)
	p.frame()
}

// quiet checks that the page asked for nothing but itself and met no fault.
func (p *tab) quiet() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Len(p.t, p.asked, 1, "requests: %v", p.asked)
	require.Empty(p.t, p.faults)
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
