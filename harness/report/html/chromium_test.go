package html

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// browser is a headless Chromium, spoken to over a pipe: it listens nowhere.
type browser struct {
	out io.Writer

	mu       sync.Mutex
	last     int
	answers  map[int]chan answer
	sessions map[string]func(method string, params json.RawMessage)
	gone     error
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// startChromium fails without a Chromium: who asks for these tests must not be
// told that all is well because none of them ran.
func startChromium(t *testing.T) *browser {
	t.Helper()
	if os.Getenv("HELDSTREAM_CHROMIUM") != "1" {
		t.Skip("runs in a headless Chromium: make test-html, or set HELDSTREAM_CHROMIUM=1")
	}
	path, err := exec.LookPath("chromium")
	require.NoError(t, err, "HELDSTREAM_CHROMIUM=1 needs chromium: sudo apt-get install chromium")
	args := []string{
		"--headless", "--remote-debugging-pipe", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(), "about:blank",
	}
	if os.Geteuid() == 0 {
		args = append([]string{"--no-sandbox"}, args...) // its sandbox does not run as root
	}
	theirIn, ourOut := pipe(t)
	ourIn, theirOut := pipe(t)
	cmd := exec.Command(path, args...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4
	require.NoError(t, cmd.Start())
	theirIn.Close()
	theirOut.Close()
	b := &browser{out: ourOut, answers: map[int]chan answer{}, sessions: map[string]func(string, json.RawMessage){}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(ourIn)
	}()
	t.Cleanup(func() {
		_ = b.call("", "Browser.close", nil, nil) // it may close before it answers
		ourOut.Close()                            // which ends it as well
		<-read
		ourIn.Close()
		_ = cmd.Wait() // how it ends says nothing about the page
	})
	return b
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	return r, w
}

// read hands out messages, each of which ends with a zero byte, until the
// browser closes the pipe.
func (b *browser) read(in io.Reader) {
	for r := bufio.NewReader(in); ; {
		data, err := r.ReadBytes(0)
		if err != nil {
			b.end(err)
			return
		}
		b.take(data[:len(data)-1])
	}
}

func (b *browser) take(data []byte) {
	var m struct {
		ID        int
		Method    string
		Params    json.RawMessage
		SessionID string
		answer
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.answers[m.ID]; wait != nil {
		delete(b.answers, m.ID)
		wait <- m.answer
	} else if told := b.sessions[m.SessionID]; told != nil {
		told(m.Method, m.Params)
	}
}

func (b *browser) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = fmt.Errorf("chromium has closed: %w", err)
	for _, wait := range b.answers {
		close(wait)
	}
	b.answers = nil
}

// call sends a command and waits for its answer.
func (b *browser) call(session, method string, params, result any) error {
	wait, err := b.send(session, method, params)
	if err != nil {
		return err
	}
	got, ok := <-wait
	switch {
	case !ok:
		return b.gone
	case got.Error != nil:
		return errors.New(method + ": " + got.Error.Message)
	case result == nil:
		return nil
	}
	return json.Unmarshal(got.Result, result)
}

func (b *browser) send(session, method string, params any) (<-chan answer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.gone != nil {
		return nil, b.gone
	}
	b.last++
	data, err := json.Marshal(map[string]any{"id": b.last, "method": method, "params": or(params), "sessionId": session})
	if session == "" {
		data, err = json.Marshal(map[string]any{"id": b.last, "method": method, "params": or(params)})
	}
	if err != nil {
		return nil, err
	}
	wait := make(chan answer, 1)
	b.answers[b.last] = wait
	_, err = b.out.Write(append(data, 0))
	return wait, err
}

func or(params any) any {
	if params == nil {
		return struct{}{}
	}
	return params
}

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
