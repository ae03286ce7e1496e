package record

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
)

// names gives the ids that codex makes names of their own: by the key that they
// stand under, numbered within their thread, so that two recordings have the
// same. Once known, an id is replaced wherever it stands.
type names struct {
	ids     map[string]string // codex's id -> its name
	parents map[string]string // thread -> the thread that spawned it
	counts  map[string]int    // scope and kind -> named so far
	clients map[string]string // ids that the manager made -> placeholder
}

func newNames() *names {
	return &names{ids: map[string]string{}, parents: map[string]string{}, counts: map[string]int{}, clients: map[string]string{}}
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// learn names the ids of a section, in its order.
func (n *names) learn(s *section) {
	for _, a := range s.acts {
		n.learnParents(a.value)
	}
	for _, a := range s.acts {
		if a.value == nil {
			a.thread = n.threadOf(a)
			continue
		}
		walk("", "", a.value, func(key, parent, text string) {
			if isThread(key, parent) {
				n.nameThread(s.agent, text)
			}
			if a.line.Mark == tape.Manager && tape.IsClientKey(key) {
				n.nameClient(text)
			}
		})
		a.thread = n.threadOf(a)
		scope := s.agent
		if t := n.ids[a.thread]; t != "" {
			scope = t
		}
		walk("", "", a.value, func(key, parent, text string) {
			if kind := kindOf(key, parent); kind != "" {
				n.name(scope, kind, text)
			}
		})
	}
	for _, v := range s.rollout {
		walk("", "", v, func(key, parent, text string) {
			if kind := kindOf(key, parent); kind != "" {
				n.name(s.agent, "rollout-"+kind, text)
			}
		})
	}
}

// threadOf is codex's id of the thread that an act belongs to, "" for the
// process.
func (n *names) threadOf(a *act) string {
	if a.of != nil {
		return a.of.thread
	}
	if a.thread != "" {
		return a.thread
	}
	m, _ := a.value.(map[string]any)
	if id, ok := m["threadId"].(string); ok {
		return id
	}
	if th, ok := m["thread"].(map[string]any); ok && a.line.Verb == tape.Note {
		id, _ := th["id"].(string)
		return id
	}
	return ""
}

func (n *names) nameThread(agent, text string) {
	id := uuid.FindString(text)
	if id == "" || n.ids[id] != "" {
		return
	}
	scope := agent + "-T"
	if parent := n.parents[id]; parent != "" {
		n.nameThread(agent, parent)
		scope = n.ids[parent] + "."
	}
	n.counts[scope]++
	n.ids[id] = fmt.Sprintf("%s%d", scope, n.counts[scope])
}

func (n *names) name(scope, kind, text string) {
	id := uuid.FindString(text)
	if id == "" || n.ids[id] != "" {
		return
	}
	n.counts[scope+kind]++
	n.ids[id] = fmt.Sprintf("%s-%s-%d", scope, kind, n.counts[scope+kind])
}

func (n *names) nameClient(text string) {
	if n.clients[text] == "" {
		n.clients[text] = fmt.Sprintf("{{client:%d}}", len(n.clients)+1)
	}
}

// learnParents finds which thread was spawned by which.
func (n *names) learnParents(v any) {
	m, ok := v.(map[string]any)
	if !ok {
		if f, folded := v.(*folded); folded {
			n.learnParents(f.value)
		}
		list, _ := v.([]any)
		for _, e := range list {
			n.learnParents(e)
		}
		return
	}
	for _, keys := range [][2]string{{"id", "parentThreadId"}, {"thread_id", "parent_thread_id"}, {"Thread-Id", "X-Codex-Parent-Thread-Id"}} {
		child, _ := first(m[keys[0]]).(string)
		parent, _ := first(m[keys[1]]).(string)
		if child != "" && parent != "" && child != parent {
			n.parents[child] = parent
		}
	}
	parent, _ := m["senderThreadId"].(string)
	children, _ := m["receiverThreadIds"].([]any)
	for _, c := range children {
		if child, _ := c.(string); child != "" && parent != "" && child != parent && n.parents[parent] != child {
			n.parents[child] = parent
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		n.learnParents(m[k])
	}
}

func first(v any) any {
	if list, ok := v.([]any); ok && len(list) > 0 {
		return list[0]
	}
	return v
}

// replace puts the names into a text.
func (n *names) replace(text string) string {
	return uuid.ReplaceAllStringFunc(text, func(id string) string {
		if name := n.ids[id]; name != "" {
			return name
		}
		return id
	})
}

// plain is a key without the marks by which versions write it differently.
func plain(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
}

// threadKeys are where ids of threads stand; a session is named after its first
// thread.
var threadKeys = map[string]bool{
	"threadid": true, "sessionid": true, "promptcachekey": true, "xclientrequestid": true,
	"parentthreadid": true, "forkedfromid": true, "forkedfromthreadid": true, "senderthreadid": true,
	"receiverthreadids": true, "newthreadid": true, "attachedtothreadid": true,
	"xcodexparentthreadid": true, "xcodexwindowid": true, "windowid": true,
}

func isThread(key, parent string) bool {
	return threadKeys[plain(key)] || key == "id" && parent == "thread"
}

// kindOf says what kind of id stands under a key, "" for none.
func kindOf(key, parent string) string {
	switch k := plain(key); {
	case isThread(key, parent):
		return ""
	case k == "turnid" || k == "rootturnid" || k == "expectedturnid" || k == "id" && (parent == "turn" || parent == "turns"):
		return "turn"
	case k == "itemid" || k == "id" && (parent == "item" || parent == "items"):
		return "item"
	case k == "id" && parent == "input":
		return "input"
	case k == "agentid":
		return "" // the manager's, which knows it beforehand
	case k == "revision" || strings.HasSuffix(k, "id"):
		return k
	}
	return ""
}

// walk calls f for each text in a value with its key and the key of what it
// stands in, in one order.
func walk(key, parent string, v any, f func(key, parent, text string)) {
	switch v := v.(type) {
	case string:
		f(key, parent, v)
	case *folded:
		walk(key, parent, v.value, f)
	case []any:
		for _, e := range v {
			walk(key, parent, e, f)
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			walk(k, key, v[k], f)
		}
	}
}
