package agentcore

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

const (
	summaryBytes  = 4 << 10 // of each text in the summary of an item, but for its own
	summaryTodos  = 100
	minimalBytes  = 256
	worstEscaping = 6 // bytes of JSON for one of text: \u0000
)

// fit makes an item small enough for a row: its texts are cut; if it is still
// too large a summary takes its place, and then what little must be known. What
// was said, by whomever, stays whole: half an answer is another answer.
func (l Limits) fit(item *Item) {
	l.cutOutput(item)
	switch item.Kind {
	case timeline.User, timeline.Assistant, timeline.Thought:
		return
	}
	for _, smaller := range []func(Item) Item{l.summary, minimal} {
		if fits(item, l.Item) {
			return
		}
		*item = smaller(*item)
	}
}

// cutOutput cuts what tools put out.
func (l Limits) cutOutput(item *Item) {
	if item.Kind == timeline.Tool {
		item.Error = cut(item.Error, l.Output)
	}
	if item.Detail == nil {
		return
	}
	d := *item.Detail
	for _, s := range []*string{&d.Output, &d.Text, &d.Content, &d.Diff} {
		*s = cut(*s, l.Output)
	}
	item.Detail = &d
}

// fits says whether the item has at most limit bytes as JSON. What is plainly
// small is not written out to know that.
func fits(item *Item, limit int) bool {
	if plain, size := textSize(item); plain && size*worstEscaping < limit {
		return true
	}
	data, err := json.Marshal(item)
	return err == nil && len(data) <= limit
}

// textSize is the length of an item's texts with room for its keys, and says
// whether that is all of it.
func textSize(item *Item) (plain bool, size int) {
	size = 512 + len(item.ID) + len(item.Text) + len(item.Name) + len(item.Error) + len(item.Trigger)
	for _, t := range item.Todos {
		size += 64 + len(t.Text) + len(t.Status)
	}
	d := item.Detail
	if d == nil {
		return true, size
	}
	for _, s := range texts(d) {
		size += len(*s)
	}
	return d.Input == nil && d.Result == nil, size
}

func texts(d *timeline.Detail) []*string {
	return []*string{&d.Command, &d.Cwd, &d.Output, &d.Path, &d.Content, &d.Diff, &d.Query, &d.URL, &d.Text, &d.Child}
}

// summary has the beginning of each text, and nothing of what has no text.
func (l Limits) summary(item Item) Item {
	item.Text = cut(item.Text, l.Item/2/worstEscaping)
	item.Error = cut(item.Error, summaryBytes)
	item.Name = cut(item.Name, minimalBytes)
	item.Todos = item.Todos[:min(len(item.Todos), summaryTodos)]
	if item.Detail != nil {
		d := *item.Detail
		for _, s := range texts(&d) {
			*s = cut(*s, summaryBytes)
		}
		d.Input, d.Result = nil, nil
		item.Detail = &d
	}
	return item
}

// minimal says what it is and that it was too large.
func minimal(item Item) Item {
	m := Item{Kind: item.Kind, ID: cut(item.ID, minimalBytes), Name: cut(item.Name, minimalBytes), Status: item.Status, Final: item.Final, Trigger: item.Trigger}
	if item.Kind == timeline.Tool {
		m.Detail = &timeline.Detail{Kind: "text", Text: "[left out: too large]"}
	} else {
		m.Text = "[left out: too large]"
	}
	return m
}

// cut shortens a text to limit bytes, at a character, and says by how much.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return fmt.Sprintf("%s\n...[%d bytes more]", s[:limit], len(s)-limit)
}
