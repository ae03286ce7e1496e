package tape

import (
	"encoding/json"
	"fmt"
	"sort"
)

// Departure says where a run parts from its recording. It is the error of the
// process that it ended.
type Departure struct {
	Agent string
	Line  int // of the section, from 1; 0: none
	Text  string
}

func (d *Departure) Error() string {
	if d.Line == 0 {
		return fmt.Sprintf("the run of agent %s parts from its recording: %s", d.Agent, d.Text)
	}
	return fmt.Sprintf("the run of agent %s parts from its recording at act %d: %s", d.Agent, d.Line, d.Text)
}

// bindings are the ids that the manager makes: placeholder -> what stands for
// it in this run.
type bindings map[string]string

// clientKeys are where ids that the manager makes stand.
var clientKeys = map[string]bool{"clientUserMessageId": true, "clientId": true}

// IsClientKey reports whether a key holds an id that the manager makes.
func IsClientKey(key string) bool { return clientKeys[key] }

// looseKeys are compared with nothing.
var looseKeys = map[string]bool{"params.clientInfo.version": true}

// differ says where a message differs from the recorded one, "" when it does
// not. A member that is absent is the same as null.
func (b bindings) differ(path, key string, want, got any) string {
	if looseKeys[path] {
		return ""
	}
	if text, ok := want.(string); ok && clientKeys[key] && len(text) > 9 && text[:9] == "{{client:" {
		return b.bind(path, text[2:len(text)-2], got)
	}
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			return b.differMap(path, w, g)
		}
	case []any:
		if g, ok := got.([]any); ok {
			return b.differList(path, key, w, g)
		}
	default:
		if want == got {
			return ""
		}
	}
	return fmt.Sprintf("%s: recorded %s, came %s", path, brief(want), brief(got))
}

func (b bindings) differMap(path string, want, got map[string]any) string {
	keys := map[string]bool{}
	for k := range want {
		keys[k] = true
	}
	for k := range got {
		keys[k] = true
	}
	names := make([]string, 0, len(keys))
	for k := range keys {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		if why := b.differ(path+"."+k, k, want[k], got[k]); why != "" {
			return why
		}
	}
	return ""
}

func (b bindings) differList(path, key string, want, got []any) string {
	for i := range want {
		if i >= len(got) {
			break
		}
		if why := b.differ(fmt.Sprintf("%s[%d]", path, i), key, want[i], got[i]); why != "" {
			return why
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%s: recorded %d entries, came %d", path, len(want), len(got))
	}
	return ""
}

// bind takes an id of the manager at first sight; afterwards it must be the same.
func (b bindings) bind(path, name string, got any) string {
	text, ok := got.(string)
	if !ok {
		return fmt.Sprintf("%s: recorded an id, came %s", path, brief(got))
	}
	if old, known := b[name]; known && old != text {
		return fmt.Sprintf("%s: recorded the id of message %s, came %q", path, name, text)
	}
	b[name] = text
	return ""
}

func brief(v any) string {
	if v == nil {
		return "nothing"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	const most = 160
	if len(data) > most {
		return string(data[:most]) + "…"
	}
	return string(data)
}
