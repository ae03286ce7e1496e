package plan

import (
	"fmt"
	"slices"
)

// requestClasses are what requests are counted by.
func requestClasses() []string {
	return append(slices.DeleteFunc(replyClasses(), func(c string) bool { return c == "any" }), "handshake")
}

func requestWantKind() kind[RequestWant] {
	return kind[RequestWant]{"a request", []key[RequestWant]{
		field("class", wordForm(requestClasses()...), func(w *RequestWant) *string { return &w.Class }, "request class"),
		field("attempt", positiveForm(), func(w *RequestWant) *int { return &w.Attempt }, "number of the try"),
		field("user", oneOrMore(textForm()), func(w *RequestWant) *[]string { return &w.User }, "the user texts, in order"),
		field("contains", oneOrMore(textForm()), func(w *RequestWant) *[]string { return &w.Contains }, "texts in the body"),
		field("lacks", oneOrMore(textForm()), func(w *RequestWant) *[]string { return &w.Lacks }, "texts not in the body"),
		field("absent", oneOrMore(nonEmptyForm("path")), func(w *RequestWant) *[]string { return &w.Absent }, "gjson paths that the body has not"),
		field("json", plainTableForm(), func(w *RequestWant) *map[string]any { return &w.JSON }, `gjson path in the body = value; "*": present`),
		field("header", mapForm(textForm()), func(w *RequestWant) *map[string]string { return &w.Header }, `headers; "*": present`),
		field("metadata", plainTableForm(), func(w *RequestWant) *map[string]any { return &w.Metadata }, `path in the turn metadata = value; "*": present`),
		optional("turn_state", textForm(), func(w *RequestWant) **string { return &w.TurnState }, `"": none was sent; "*": one was`),
		field("model", nonEmptyForm("model"), func(w *RequestWant) *string { return &w.Model }, "model"),
		field("path", nonEmptyForm("path"), func(w *RequestWant) *string { return &w.Path }, "URL path"),
		field("connection", positiveForm(), func(w *RequestWant) *int { return &w.Connection }, "number of the WebSocket connection"),
		optional("incremental", boolForm(), func(w *RequestWant) **bool { return &w.Incremental }, "sent with a previous response id"),
	}}
}

func requestsForm() form[*Requests] {
	one := positioned(requestWantKind().asForm(), func(w *RequestWant) *Pos { return &w.Pos })
	counts := form[*Requests]{"{ CLASS = N }", countsForm().schema, func(r *reader, v *value) (*Requests, bool) {
		list, ok := readCounts(r, v)
		return &Requests{Counts: list}, ok
	}}
	list := convert(listForm(one), func(l []RequestWant) *Requests { return &Requests{List: l} })
	return byKind("{ CLASS = N } | list of requests", map[valueKind]form[*Requests]{isTable: counts, isArray: list})
}

// countsForm is a table of class = N.
func countsForm() form[map[string]int] {
	properties := schema{}
	for _, c := range requestClasses() {
		properties[c] = countForm().schema
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	return form[map[string]int]{"{ CLASS = N }", s, func(r *reader, v *value) (map[string]int, bool) {
		list, ok := readCounts(r, v)
		m := make(map[string]int, len(list))
		for _, c := range list {
			m[c.Class] = c.Count
		}
		return m, ok
	}}
}

func readCounts(r *reader, v *value) ([]ClassCount, bool) {
	if v.kind != isTable {
		wrong(r, v, "a table like { turn = 2 }")
		return nil, false
	}
	before := len(r.faults)
	var list []ClassCount
	for _, name := range v.names {
		m := v.members[name]
		if !slices.Contains(requestClasses(), name) {
			r.faultAt(m.key, "%s", unknown(fmt.Sprintf("there is no request class %q", name), name, requestClasses()))
		} else if n, ok := countForm().read(r, m); ok {
			list = append(list, ClassCount{m.key, name, n})
		}
	}
	return list, len(r.faults) == before
}
