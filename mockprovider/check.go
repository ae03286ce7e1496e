package mockprovider

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Check tells what is wrong with a script, without running it. Only faults
// that are not warnings make it unfit to be played.
func (s *Script) Check() []Fault {
	c := &checker{}
	for i := range s.replies() {
		c.reply(fmt.Sprintf("reply[%d]", i), &s.Replies[i])
	}
	if s == nil {
		return nil
	}
	c.unreachable(s.Replies)
	c.rest(s)
	return c.faults
}

type checker struct{ faults []Fault }

func (c *checker) fault(path, format string, args ...any) {
	c.faults = append(c.faults, Fault{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) warn(path, format string, args ...any) {
	c.faults = append(c.faults, Fault{Path: path, Message: fmt.Sprintf(format, args...), Warning: true})
}

// require is for the many rules that are one condition and one sentence.
func (c *checker) require(ok bool, path, format string, args ...any) {
	if !ok {
		c.fault(path, format, args...)
	}
}

var requestClasses = []Class{
	Turn, AnyCompaction, CompactionInline, CompactionV1, CompactionV2,
	Prewarm, Review, Guardian, Subagent, Models, Side, AnyClass,
}

func (c *checker) reply(path string, r *Reply) {
	c.require(slices.Contains(requestClasses, r.To), path+".to", "%q is no request class; they are %s", r.To, join(requestClasses))
	c.require((r.To == Side) == (r.Path != ""), path+".path", "goes with to = \"side\", and only there")
	c.require(r.Times >= 0, path+".times", "is negative")
	c.match(path+".match", &r.Match)
	c.require(len(r.Attempts) > 0 || !r.Again, path+".again", "goes with attempts")
	if len(r.Attempts) == 0 {
		c.content(path, r.To, r)
	}
	for i := range r.Attempts {
		a := &r.Attempts[i]
		at := fmt.Sprintf("%s.attempts[%d]", path, i)
		c.require(len(a.Attempts) == 0, at+".attempts", "an attempt has no attempts of its own")
		c.content(at, r.To, a)
	}
}

func join[T ~string](all []T) string {
	var texts []string
	for _, t := range all {
		texts = append(texts, string(t))
	}
	return strings.Join(texts, ", ")
}

func (c *checker) match(path string, m *Match) {
	c.require(m.Nth >= 0, path+".nth", "counts from 1")
	if m.User != nil {
		c.text(path+".user", *m.User)
	}
	for _, name := range sortedKeys(m.Header) {
		c.text(path+".header."+name, m.Header[name])
	}
}

func (c *checker) text(path string, t Text) {
	if _, err := regexp.Compile(t.Re); err != nil {
		c.fault(path+".re", "%v", err)
	}
}

// content checks what one try of a reply sends.
func (c *checker) content(path string, to Class, r *Reply) {
	before := len(c.faults)
	c.require(r.Status == 0 || r.Status >= 200 && r.Status <= 599, path+".status", "%d is no final status", r.Status)
	c.require(r.Delay >= 0, path+".delay", "is negative")
	c.end(path+".end", r.End)
	c.holds(path, r)
	c.cut(path+".cut", r.Cut)
	c.frame(path+".frame", &r.Frame)
	c.tokens(path+".tokens", r.Tokens)
	for i := range r.Call {
		c.call(fmt.Sprintf("%s.call[%d]", path, i), &r.Call[i])
	}
	for i, e := range r.Events {
		c.require(gjson.ParseBytes(e).IsObject() && json.Valid(e), fmt.Sprintf("%s.events[%d]", path, i), "is no JSON object")
	}
	if len(c.faults) == before {
		c.sequence(path, to, r)
	}
}

func (c *checker) end(path, end string) {
	kind, detail, given := strings.Cut(end, ":")
	switch kind {
	case "", "completed", "none":
		c.require(!given, path, "%q takes nothing after it", kind)
	case "incomplete":
	case "failed":
		c.require(detail != "", path, "failed needs a code, as in failed:server_error")
	default:
		c.fault(path, "%q is not known; use completed, incomplete:REASON, failed:CODE or none", end)
	}
}

func (c *checker) holds(path string, r *Reply) {
	for i, h := range r.Holds {
		at := path + "." + r.holdPath(i)
		c.require(h.Gate != "", at, "names no gate")
		c.require(h.Before == "" || h.After == "", at, "has before and after: one place is enough")
	}
}

func (c *checker) cut(path string, cut *Cut) {
	if cut == nil {
		return
	}
	_, coded := closeCode(cut.How)
	c.require(coded || cut.How == "" || cut.How == "close" || cut.How == "reset", path+".how", "%q is not known; use close, close:CODE or reset", cut.How)
	c.require(cut.After == "" || cut.Bytes == 0, path, "has after and bytes: one place is enough")
	c.require(cut.Bytes >= 0, path+".bytes", "is negative")
}

func (c *checker) frame(path string, f *Frame) {
	c.require(f.Chunk >= 0, path+".chunk", "is negative")
	c.require(f.Coalesce >= 0, path+".coalesce", "is negative")
	if f.Comments != nil {
		c.require(f.Comments.Times > 0, path+".comments.times", "counts from 1")
		c.require(f.Comments.Every >= 0, path+".comments.every", "is negative")
	}
}

func (c *checker) tokens(path string, t *Tokens) {
	if t != nil {
		c.require(min(t.Input, t.Cached, t.Output, t.Reasoning, t.Total) >= 0, path, "has a negative number")
	}
}

func (c *checker) call(path string, call *Call) {
	_, known := callKinds[call.kind()]
	c.require(known, path+".kind", "%q is not known; use %s", call.Kind, strings.Join(sortedKeys(callKinds), ", "))
	named := call.kind() == "function" || call.kind() == "custom" || call.kind() == "mcp"
	c.require(!named || call.Tool != "", path+".tool", "names no tool")
	c.require(call.Args == nil || json.Valid(call.Args), path+".args", "is no JSON value")
	c.require(call.kind() != "custom" || call.Args == nil, path+".args", "a custom tool takes input, which is text")
}

// sequence plays the reply on paper: the gates must be at frames that exist,
// and the frames must be such as the API sends.
func (c *checker) sequence(path string, to Class, r *Reply) {
	class := to
	switch to {
	case AnyCompaction:
		class = CompactionInline
	case AnyClass:
		class = Turn
	}
	a := r.answer(sample(class))
	if _, fault := r.schedule(class, a.frames()); fault != nil {
		c.fault(path+"."+fault.Path, "%s", fault.Message)
	}
	if r.Malformed || a.plain {
		return
	}
	for _, why := range lint(a.events) {
		c.fault(path, "%s; malformed = true sends it all the same", why)
	}
	ends := slices.ContainsFunc(a.events, func(e event) bool { return isTerminal(e.Type) })
	c.require(ends || r.End == "none" || r.Cut != nil, path+".events", "no event ends the response; end = \"none\" says that this is meant")
}

func sample(class Class) asked {
	names := newIDs(1, class, 1, 1)
	return asked{
		class: class, ids: &names, respID: names.response(), model: "model", stream: true,
		expand: func(name string) (string, bool) { return "1", name == "n" },
	}
}

// unreachable warns of replies that an earlier one, which has no end, leaves
// nothing to answer.
func (c *checker) unreachable(replies []Reply) {
	for i := range replies {
		for j := range replies[:i] {
			if e := &replies[j]; e.Times == 0 && e.covers(&replies[i]) {
				c.warn(fmt.Sprintf("reply[%d]", i), "can never be reached: reply[%d] answers all that it matches; put this one first, or give that one times", j)
				break
			}
		}
	}
}

func (c *checker) rest(s *Script) {
	for i, m := range s.Models {
		c.require(json.Valid(m) && modelID(m) != "", fmt.Sprintf("models[%d]", i), "is no JSON object with a slug or an id")
	}
	c.require(s.Window >= 0, "window", "is negative")
	c.require(s.Meter == nil || min(s.Meter.Start, s.Meter.PerTurn) >= 0, "meter", "has a negative number")
	if u := s.Upgrade; u != nil {
		c.require(u.Status == 0 || u.Status >= 300 && u.Status <= 599, "upgrade.status", "%d refuses no handshake", u.Status)
		c.require(slices.Contains(upgradeHows, u.How), "upgrade.how", "%q is not known; use hang, reset or silent", u.How)
		c.require(u.Times >= 0, "upgrade.times", "is negative")
	}
}
