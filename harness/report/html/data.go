package html

import (
	"bytes"
	"encoding/json"

	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
)

// page is what the scripts are given.
type page struct {
	Reports []side   `json:"reports"`
	Pool    []string `json:"pool"`
}

type side struct {
	Name        string    `json:"name"`
	ElapsedMS   int64     `json:"elapsed_ms"`
	Interrupted bool      `json:"interrupted"`
	Variants    []variant `json:"variants"`
}

type variant struct {
	Result json.RawMessage `json:"result"` // as --json prints it
	Rows   []int           `json:"rows"`   // the event of each row of the timeline; 0: none
	Places [][]int         `json:"places"` // the events that each failure points at
	Events []event         `json:"events"`
	Error  string          `json:"error,omitempty"`
}

type event struct {
	Seq   int    `json:"seq"`
	At    int64  `json:"at_us"`
	Step  int    `json:"step"`
	Agent string `json:"agent"`
	Kind  string `json:"kind"`
	Data  any    `json:"data"`
}

func newPage(reports []Report) page {
	p := pool{index: map[string]int{}, texts: []string{}}
	var sides []side
	for _, r := range reports {
		s := side{Name: r.Name, ElapsedMS: r.Elapsed.Milliseconds(), Interrupted: r.Interrupted, Variants: []variant{}}
		for _, v := range r.Variants {
			s.Variants = append(s.Variants, p.variant(v))
		}
		sides = append(sides, s)
	}
	return page{Reports: sides, Pool: p.texts}
}

// pool keeps each text once. Request bodies repeat their history from request to
// request, so a run's page grows with what is new in it and not with its square;
// and equal parts have equal numbers, which is how the page compares bodies.
type pool struct {
	texts []string
	index map[string]int
}

func (p *pool) put(text string) int {
	i, ok := p.index[text]
	if !ok {
		i = len(p.texts)
		p.index[text] = i
		p.texts = append(p.texts, text)
	}
	return i
}

func (p *pool) variant(v Variant) variant {
	var result bytes.Buffer
	out := variant{Rows: rowPlaces(v), Places: [][]int{}, Events: []event{}}
	if err := report.WriteJSON(&result, v.Result); err != nil {
		out.Error = err.Error()
		result.WriteString("{}")
	}
	out.Result = result.Bytes()
	for _, f := range v.Result.Failures {
		out.Places = append(out.Places, places(f, v))
	}
	for _, e := range v.Events {
		out.Events = append(out.Events, event{e.Seq, e.At.Microseconds(), e.Step, e.Agent, eventlog.Kind(e.Body), p.data(e.Body)})
	}
	return out
}

// data is the body with its raw parts as texts: what came over a wire need not
// be JSON, and is shown as it was.
func (p *pool) data(body eventlog.Body) any {
	switch b := body.(type) {
	case eventlog.Request:
		payload := b.Payload
		b.Payload = nil
		return struct {
			eventlog.Request
			Body []member `json:"body"`
		}{b, p.members(payload)}
	case eventlog.Sent:
		return struct {
			ID   int    `json:"id"`
			What string `json:"what"`
			Data string `json:"data,omitempty"`
		}{b.ID, b.What, string(b.Data)}
	case eventlog.ToCodex:
		return wireLine{string(b.Line)}
	case eventlog.FromCodex:
		return wireLine{string(b.Line)}
	case eventlog.Rollout:
		lines := make([]string, len(b.Lines))
		for i, line := range b.Lines {
			lines[i] = string(line)
		}
		return struct {
			Lines []string `json:"lines"`
		}{lines}
	}
	return body
}

type wireLine struct {
	Line string `json:"line"`
}

// member is one member of a request's body. Its value, or each item of it when
// it is a list, is a number of the pool.
type member struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
	Items []int  `json:"items,omitempty"`
}

// members takes an object apart; a body that is none is one nameless member.
func (p *pool) members(body []byte) []member {
	all := []member{}
	if len(body) == 0 {
		return all
	}
	parsed := gjson.ParseBytes(body)
	if !gjson.ValidBytes(body) || !parsed.IsObject() {
		return append(all, member{Value: p.put(string(body))})
	}
	parsed.ForEach(func(name, value gjson.Result) bool {
		m := member{Name: name.String(), Value: -1}
		if items := value.Array(); value.IsArray() && len(items) > 0 {
			for _, item := range items {
				m.Items = append(m.Items, p.put(item.Raw))
			}
		} else {
			m.Value = p.put(value.Raw)
		}
		all = append(all, m)
		return true
	})
	return all
}
