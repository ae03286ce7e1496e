package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/reading"
)

// lanes projects a log onto what a golden asserts: per section and lane, in the
// order of the log. A section holds all from one settled state to the next;
// which steps those are is known from the plan alone (see steps.go), so that an
// event can never fall into another section than last time.
type lanes struct {
	run      *reading.Run
	normal   *normalizer
	sections []section
	requests map[int]*line // by id
	tools    map[string]*line
	calls    map[string]*toolCall // of the manager's tools, by agent and id
	statuses map[string]string
	shown    map[string]string // by agent and row
}

type section struct {
	title string
	lines []*line
}

// line is one line of a lane. Text is made when the run is over, since what a
// turn's number is and how a request ended may be known later.
type line struct {
	lane string
	text func() string
	open bool // of a tool that runs: shown as running where it began
	call int  // of a tool or a permission: which of the model's calls; 0: of none
}

// projection returns the golden of a finished run. sections[i] is the title of
// the section that begins with step starts[i].
func projection(events []eventlog.Event, run *reading.Run, version string, starts map[int]string, n *normalizer) golden.File {
	l := &lanes{run: run, normal: n, requests: map[int]*line{}, tools: map[string]*line{}, calls: map[string]*toolCall{}, statuses: map[string]string{}, shown: map[string]string{}}
	for _, e := range events {
		if b, ok := e.Body.(eventlog.StepBegan); ok {
			if title, ok := starts[b.Index]; ok {
				l.sections = append(l.sections, section{title: title})
			}
			continue
		}
		l.apply(e)
	}
	return l.file(version)
}

func (l *lanes) apply(e eventlog.Event) {
	switch b := e.Body.(type) {
	case eventlog.Request:
		l.request(e.Agent, b)
	case eventlog.Turn:
		l.add("turns "+e.Agent, func() string { return l.turn(e.Agent, b) })
	case eventlog.Row:
		l.row(e.Agent, b)
	case eventlog.State:
		l.status(e.Agent, b)
	case eventlog.Permission:
		ln := l.add("permissions "+e.Agent, func() string { return permission(b) })
		ln.call = l.run.Agent(e.Agent).Called[b.Item]
	case eventlog.AgentCalled:
		l.called(e.Agent, b)
	case eventlog.AgentAnswered:
		l.answered(e.Agent, b)
	case eventlog.Notice:
		if b.Level == "error" {
			l.add("errors "+e.Agent, func() string { return notice(b) })
		}
	case eventlog.Refused:
		l.add("errors "+e.Agent, func() string { return "unmatched request" })
	}
}

func (l *lanes) add(lane string, text func() string) *line {
	if len(l.sections) == 0 {
		l.sections = []section{{title: "start"}}
	}
	ln := &line{lane: lane, text: text}
	s := &l.sections[len(l.sections)-1]
	s.lines = append(s.lines, ln)
	return ln
}

func (l *lanes) request(agent string, b eventlog.Request) {
	a := l.run.Agents[agent]
	lane := "requests " + agent
	if n := a.ThreadNumber(b.Thread); n > 1 {
		lane += fmt.Sprintf(" thread %d", n)
	}
	l.requests[b.ID] = l.add(lane, func() string { return l.requestLine(a, l.run.Requests[b.ID]) })
}

func (l *lanes) requestLine(a *reading.Agent, q *reading.Request) string {
	var b strings.Builder
	if t := a.Turn(q.Turn); t != nil {
		fmt.Fprintf(&b, "turn %d ", t.Number)
	}
	b.WriteString(q.Class)
	if q.Try > 1 {
		fmt.Fprintf(&b, " attempt %d", q.Try)
	}
	if q.Incremental {
		b.WriteString(" incremental")
	}
	if q.Class == "side" {
		b.WriteString(": " + q.Path)
	} else {
		b.WriteString(": " + strings.Join(reading.Conversation(q.Payload, l.normal.text), " | "))
	}
	if q.Reply >= 0 {
		fmt.Fprintf(&b, " -> reply %d", q.Reply+1)
	}
	for _, gate := range append(slices.Clone(q.Passed), q.Left, q.Gate) {
		if gate != "" {
			b.WriteString(", held at " + gate)
		}
	}
	if q.Left != "" {
		b.WriteString(" and left")
	}
	return b.String()
}

func (l *lanes) turn(agent string, b eventlog.Turn) string {
	name := "turn"
	if t := l.run.Agents[agent].Turn(b.ID); t != nil {
		name = fmt.Sprintf("turn %d", t.Number)
	}
	text := name + " " + b.Status
	if b.Error != "" {
		text += ": " + b.Error
	}
	if b.Status == "completed" {
		text += usage(b.Usage)
	}
	return text
}

// usage shows what a provider reported. A total without its parts is codex's
// own estimate, which depends on the length of paths.
func usage(u map[string]int64) string {
	if u["input"] == 0 {
		return ""
	}
	return fmt.Sprintf(" (tokens %d)", u["total"])
}

func (l *lanes) status(agent string, b eventlog.State) {
	if l.statuses[agent] == b.Lifecycle {
		return
	}
	l.statuses[agent] = b.Lifecycle
	l.add("status "+agent, func() string { return b.Lifecycle })
}

// row: a text stands where it was added. A tool stands where it ended; one that
// still runs at the end of the section in which it began stands there too.
func (l *lanes) row(agent string, b eventlog.Row) {
	if l.unchanged(agent, b) {
		return
	}
	if b.Kind != "tool" {
		l.add("timeline "+agent, func() string { return l.shortRow(b) })
		return
	}
	key := agent + " " + b.Item
	if began := l.tools[key]; began != nil && l.inThisSection(began) {
		began.open = true
	}
	ln := l.add("timeline "+agent, func() string { return l.shortRow(b) })
	ln.call = l.run.Agent(agent).Called[b.Item]
	if b.Status == "running" {
		l.tools[key] = ln
	}
}

// longestRow is how many bytes of a row's text stand in a golden.
const longestRow = 400

// shortRow is a row with its text cut.
func (l *lanes) shortRow(b eventlog.Row) string {
	short, rest := reading.Cut(l.normal.text(b.Text), longestRow)
	b.Text = short + rest
	return b.String()
}

// unchanged reports whether a changed row reads as it did before: codex's echo
// of a prompt only adds an id to it.
func (l *lanes) unchanged(agent string, b eventlog.Row) bool {
	key := fmt.Sprint(agent, " ", b.Seq)
	same := l.shown[key] == b.String()
	l.shown[key] = b.String()
	return same
}

// inThisSection reports whether a line was added since the section began; such a
// line of a running tool is dropped when the tool ends.
func (l *lanes) inThisSection(ln *line) bool {
	return slices.Contains(l.sections[len(l.sections)-1].lines, ln)
}

func permission(b eventlog.Permission) string {
	if b.Outcome == "" {
		return "asked: " + b.Title
	}
	return b.Outcome
}

func notice(b eventlog.Notice) string {
	text := b.Text
	if b.Code != "" {
		text += " [" + b.Code + "]"
	}
	if b.Retry {
		text += " (retries)"
	}
	return text
}

// laneOrder is the order of lanes in a section; agents follow each other in the
// order of their names within a kind.
var laneOrder = []string{"requests", "turns", "timeline", "status", "permissions", "calls", "errors", "process"}

func (l *lanes) file(version string) golden.File {
	f := golden.File{Version: version}
	for _, s := range l.sections {
		f.Sections = append(f.Sections, golden.Section{Title: s.title, Lanes: l.inOrder(s).lanes(l.normal)})
	}
	return f
}

// inOrder puts tools, and permissions asked for, that follow each other into the
// order of their calls: which of several that run at the same time asks or ends
// first is nobody's doing.
func (l *lanes) inOrder(s section) section {
	byLane := map[string][]int{} // of a run of tools, by lane: places of its lines
	sortRun := func(lane string) {
		places := byLane[lane]
		delete(byLane, lane)
		run := make([]*line, len(places))
		for i, at := range places {
			run[i] = s.lines[at]
		}
		slices.SortStableFunc(run, func(x, y *line) int { return cmp.Compare(x.call, y.call) })
		for i, at := range places {
			s.lines[at] = run[i]
		}
	}
	for at, ln := range s.lines {
		if ln.call == 0 {
			sortRun(ln.lane)
			continue
		}
		byLane[ln.lane] = append(byLane[ln.lane], at)
	}
	for lane := range byLane {
		sortRun(lane)
	}
	return s
}

func (s section) lanes(n *normalizer) []golden.Lane {
	byName := map[string]*golden.Lane{}
	for _, ln := range s.lines {
		if ln.open {
			continue
		}
		if byName[ln.lane] == nil {
			byName[ln.lane] = &golden.Lane{Name: ln.lane}
		}
		byName[ln.lane].Lines = append(byName[ln.lane].Lines, ln.text())
	}
	var all []golden.Lane
	for _, lane := range byName {
		all = append(all, *lane)
	}
	slices.SortFunc(all, func(x, y golden.Lane) int {
		return cmp.Or(cmp.Compare(rank(x.Name), rank(y.Name)), cmp.Compare(x.Name, y.Name))
	})
	for _, lane := range all {
		for i, text := range lane.Lines {
			lane.Lines[i] = n.text(text)
		}
	}
	return all
}

func rank(lane string) int {
	kind, _, _ := strings.Cut(lane, " ")
	return slices.Index(laneOrder, kind)
}
