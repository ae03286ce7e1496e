package mockprovider

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// miss is one reason why a reply does not answer a request. It is put into
// words only when somebody asks: most misses are no fault.
type miss struct {
	field     string
	want, got any // a string is shown quoted, words as they are
}

type words string

func (m miss) String() string {
	return fmt.Sprintf("%s: want %s, got %s", m.field, show(m.want), show(m.got))
}

func show(v any) string {
	if s, ok := v.(string); ok {
		return quote(s)
	}
	return fmt.Sprint(v)
}

// misses compares a request with a reply; nothing missed is a match. Nothing
// else is told of a reply to another class.
func (r *Reply) misses(q *request, class Class, n int) []miss {
	if !r.To.answers(class) {
		return []miss{{"to", words(r.To), words(class)}}
	}
	if r.To == Side && !strings.HasSuffix(q.path, r.Path) {
		return []miss{{"path", r.Path, q.path}}
	}
	return r.Match.misses(q, n)
}

// answers: any means every request for a response that a client makes for its
// work. A prewarm is none: it must not use up a reply.
func (to Class) answers(c Class) bool {
	switch to {
	case AnyCompaction:
		return c.isCompaction()
	case AnyClass:
		return c != Prewarm && c != Models && c != Side && c != Unknown
	case Side:
		return c == Side || c == Unknown
	}
	return to == c
}

func (c Class) isCompaction() bool {
	return c == CompactionInline || c == CompactionV1 || c == CompactionV2
}

// misses: nothing is put together for a condition that holds, as nearly all
// do that are ever asked.
func (m *Match) misses(q *request, n int) []miss {
	var ms []miss
	missed := func(field string, want, got any) { ms = append(ms, miss{field, want, got}) }
	if m.User != nil && !m.User.matches(q.lastUserText()) {
		missed("user", m.User, q.lastUserText())
	}
	for _, t := range m.Lacks {
		if q.hasText(t) {
			missed("lacks", words("no "+quote(t)), words("it in the input"))
		}
	}
	for _, name := range sortedKeys(m.Header) {
		if t := m.Header[name]; !t.matches(q.header.Get(name)) {
			missed("header "+name, &t, q.header.Get(name))
		}
	}
	if m.Model != "" && m.Model != q.model() {
		missed("model", m.Model, q.model())
	}
	if m.Agent != "" && m.Agent != q.agent {
		missed("agent", m.Agent, q.agent)
	}
	for _, path := range sortedKeys(m.JSON) {
		if got := q.top.root.Get(path); !sameJSON(m.JSON[path], got) {
			missed("json "+path, words(fmt.Sprint(m.JSON[path])), words(or(shorten(got.Raw), "nothing")))
		}
	}
	if m.Nth != 0 && m.Nth != n {
		missed("nth", m.Nth, n)
	}
	if m.ToolOutput != nil && !m.ToolOutput.matches(q) {
		missed("tool_output", m.ToolOutput, words(fmt.Sprintf("%d after the last user item", len(q.lateOutputs()))))
	}
	return ms
}

func (t *Text) matches(s string) bool {
	return (t.Is == nil || *t.Is == s) && strings.Contains(s, t.Contains) && (t.Re == "" || matchRE(t.Re, s))
}

func (t *Text) String() string {
	var parts []string
	if t.Is != nil {
		parts = append(parts, quote(*t.Is))
	}
	if t.Contains != "" {
		parts = append(parts, "some text with "+quote(t.Contains))
	}
	if t.Re != "" {
		parts = append(parts, "a match of "+quote(t.Re))
	}
	return strings.Join(parts, " and ")
}

var compiled sync.Map // expression -> *regexp.Regexp; nil when it is faulty

// matchRE: Check has told of a faulty expression; here it matches nothing.
func matchRE(expr, s string) bool {
	re, ok := compiled.Load(expr)
	if !ok {
		c, _ := regexp.Compile(expr)
		re, _ = compiled.LoadOrStore(expr, c)
	}
	c := re.(*regexp.Regexp)
	return c != nil && c.MatchString(s)
}

// lateOutputs are the tool outputs after the last user item.
func (q *request) lateOutputs() []item {
	var late []item
	for _, it := range q.items[q.lastUser()+1:] {
		if strings.HasSuffix(it.kind, "_output") {
			late = append(late, it)
		}
	}
	return late
}

func (t *ToolOutput) matches(q *request) bool {
	late := q.lateOutputs()
	if t.Contains == "" {
		return t.Present == (len(late) > 0)
	}
	for _, it := range late {
		if hasText(it.raw.Get("output"), t.Contains) {
			return true
		}
	}
	return false
}

func (t *ToolOutput) String() string {
	switch {
	case t.Contains != "":
		return "one with " + quote(t.Contains)
	case t.Present:
		return "one"
	}
	return "none"
}

// hasText looks for t in every text of instructions and input.
func (q *request) hasText(t string) bool {
	return hasText(q.top.instructions, t) || hasText(q.top.input, t)
}

func hasText(v gjson.Result, t string) bool {
	if v.Type == gjson.String {
		return strings.Contains(v.Str, t)
	}
	found := false
	if v.Type == gjson.JSON {
		v.ForEach(func(_, child gjson.Result) bool {
			found = hasText(child, t)
			return !found
		})
	}
	return found
}

// sameJSON compares as JSON does: 1 and 1.0 are the same. "*" is anything.
func sameJSON(want any, got gjson.Result) bool {
	if want == "*" {
		return got.Exists()
	}
	raw, err := json.Marshal(want)
	if err != nil || !got.Exists() {
		return false
	}
	var w, g any
	return json.Unmarshal(raw, &w) == nil && json.Unmarshal([]byte(got.Raw), &g) == nil && reflect.DeepEqual(w, g)
}
