package mockprovider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// stepKind says what a player does.
type stepKind int

const (
	stepHeaders stepKind = iota // send status and headers
	stepEvent                   // send an event
	stepBody                    // send the one body of a plain answer
	stepEnd                     // end the stream
	stepHold                    // wait at a gate
	stepWait                    // let time pass
	stepComment                 // send a comment
	stepCut                     // break the connection
	stepForever                 // wait until the client leaves
)

// step is one thing that a player does for a reply, in order.
type step struct {
	kind stepKind
	name string // of a frame: headers, the event type, body, end; else gate or how to cut
	data []byte
	wait time.Duration
}

func (s *step) isFrame() bool { return s.kind <= stepEnd }

// frames are the steps of an answer without gates, time or cuts.
func (a *answer) frames() []step {
	steps := make([]step, 0, len(a.events)+4)
	steps = append(steps, step{kind: stepHeaders, name: "headers"})
	if a.plain {
		steps = append(steps, step{kind: stepBody, name: "body", data: a.body})
	} else {
		for _, e := range a.events {
			steps = append(steps, step{kind: stepEvent, name: e.Type, data: e.Data})
		}
	}
	return append(steps, step{kind: stepEnd, name: "end"})
}

// schedule puts a reply's gates, delays, comments and cut among the frames.
// The fault names the key that points to a frame that is not there.
func (r *Reply) schedule(class Class, frames []step) ([]step, *Fault) {
	if r.flows() {
		return frames, nil
	}
	before := make([][]step, len(frames)+1)
	for i, h := range r.Holds {
		at, fault := h.place(r.holdPath(i), class, frames)
		if fault != nil {
			return nil, fault
		}
		before[at] = append(before[at], step{kind: stepHold, name: h.Gate})
	}
	if fault := r.scheduleComments(frames, before); fault != nil {
		return nil, fault
	}
	if r.Delay > 0 {
		for i, f := range frames {
			if f.kind == stepEvent || f.kind == stepBody {
				before[i] = append(before[i], step{kind: stepWait, wait: r.Delay})
			}
		}
	}
	if fault := r.scheduleCut(frames, before); fault != nil {
		return nil, fault
	}
	return weave(before, frames), nil
}

// flows says that nothing comes between the frames.
func (r *Reply) flows() bool {
	return len(r.Holds) == 0 && r.Frame.Comments == nil && r.Delay <= 0 && r.Cut == nil
}

func weave(before [][]step, frames []step) []step {
	var all []step
	for i, f := range frames {
		all = append(append(all, before[i]...), f)
	}
	return append(all, before[len(frames)]...)
}

func (r *Reply) holdPath(i int) string {
	if len(r.Holds) == 1 {
		return "hold"
	}
	return fmt.Sprintf("hold[%d]", i)
}

// place is the index of the frame that the hold stands before.
func (h Hold) place(path string, class Class, frames []step) (int, *Fault) {
	switch {
	case h.Before != "":
		return findFrame(path+".before", h.Before, frames)
	case h.After != "":
		i, fault := findFrame(path+".after", h.After, frames)
		return i + 1, fault
	case class.isCompaction():
		return 0, nil
	}
	return 1, nil
}

// findFrame finds a frame by its name; NAME#2 is the second of that name.
func findFrame(path, name string, frames []step) (int, *Fault) {
	want, nth, _ := strings.Cut(name, "#")
	n, err := strconv.Atoi(or(nth, "1"))
	if err != nil || n < 1 {
		return 0, &Fault{Path: path, Message: fmt.Sprintf("%q: after # comes which one of that name, from 1", name)}
	}
	for i, f := range frames {
		if f.name == want {
			if n--; n == 0 {
				return i, nil
			}
		}
	}
	return 0, &Fault{Path: path, Message: fmt.Sprintf("the reply sends no %s; it sends %s", name, frameNames(frames))}
}

func frameNames(frames []step) string {
	var names []string
	for _, f := range frames {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	return strings.Join(names, ", ")
}

func (r *Reply) scheduleComments(frames []step, before [][]step) *Fault {
	c := r.Frame.Comments
	if c == nil {
		return nil
	}
	var beats []step
	for range c.Times {
		if c.Every > 0 {
			beats = append(beats, step{kind: stepWait, wait: c.Every})
		}
		beats = append(beats, step{kind: stepComment})
	}
	if c.Before != "" {
		at, fault := findFrame("frame.comments.before", c.Before, frames)
		before[at] = append(before[at], beats...)
		return fault
	}
	for i, f := range frames {
		if f.kind == stepEvent {
			before[i] = append(before[i], beats...)
		}
	}
	return nil
}

// scheduleCut: a cut by bytes is the transport's, which alone counts them.
// One that names nothing comes before all.
func (r *Reply) scheduleCut(frames []step, before [][]step) *Fault {
	if r.Cut == nil || r.Cut.Bytes > 0 {
		return nil
	}
	at := 0
	if r.Cut.After != "" {
		i, fault := findFrame("cut.after", r.Cut.After, frames)
		if fault != nil {
			return fault
		}
		at = i + 1
	}
	before[at] = append(before[at], step{kind: stepCut, name: r.Cut.How})
	return nil
}

// closeCode is the WebSocket close code of close:CODE.
func closeCode(how string) (int, bool) {
	text, ok := strings.CutPrefix(how, "close:")
	code, err := strconv.Atoi(text)
	return code, ok && err == nil
}
