package mockprovider_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

func raws(events ...string) []json.RawMessage {
	var all []json.RawMessage
	for _, e := range events {
		all = append(all, json.RawMessage(e))
	}
	return all
}

const (
	created   = `{"type":"response.created","response":{"id":"r"}}`
	added     = `{"type":"response.output_item.added","item":{"type":"message","id":"m_1"}}`
	done      = `{"type":"response.output_item.done","item":{"type":"message","id":"m_1"}}`
	completed = `{"type":"response.completed","response":{"id":"r"}}`
)

func TestCheckFindsFaults(t *testing.T) {
	turn := func(r mp.Reply) mp.Reply { r.To = mp.Turn; return r }
	for _, tt := range []struct {
		name  string
		reply mp.Reply
		want  string // "PATH: a part of the message"
	}{
		{"class", mp.Reply{To: "tern"}, `reply[0].to: "tern" is no request class`},
		{"side without path", mp.Reply{To: mp.Side}, "reply[0].path: goes with"},
		{"path without side", turn(mp.Reply{Path: "/x"}), "reply[0].path: goes with"},
		{"expression", turn(mp.Reply{Match: mp.Match{User: &mp.Text{Re: "("}}}), "reply[0].match.user.re: error parsing"},
		{"header expression", turn(mp.Reply{Match: mp.Match{Header: map[string]mp.Text{"a": {Re: "("}}}}), "reply[0].match.header.a.re: "},
		{"end", turn(mp.Reply{End: "done"}), `reply[0].end: "done" is not known`},
		{"failed without code", turn(mp.Reply{End: "failed"}), "reply[0].end: failed needs a code"},
		{"status", turn(mp.Reply{Status: 42}), "reply[0].status: 42"},
		{"hold at nothing", turn(mp.Reply{Say: []string{"x"}, Holds: []mp.Hold{{Gate: "g", Before: "response.output_text.dleta"}}}), "reply[0].hold.before: the reply sends no response.output_text.dleta; it sends headers, response.created"},
		{"second delta of one", turn(mp.Reply{Say: []string{"x"}, Holds: []mp.Hold{{Gate: "g", After: "response.output_text.delta#2"}}}), "reply[0].hold.after: "},
		{"gate of the second hold", turn(mp.Reply{Holds: []mp.Hold{{Gate: "g"}, {}}}), "reply[0].hold[1]: names no gate"},
		{"hold at two places", turn(mp.Reply{Holds: []mp.Hold{{Gate: "g", Before: "end", After: "headers"}}}), "reply[0].hold: has before and after"},
		{"cut at nothing", turn(mp.Reply{Cut: &mp.Cut{After: "nowhere"}}), "reply[0].cut.after: "},
		{"cut how", turn(mp.Reply{Cut: &mp.Cut{How: "gently"}}), "reply[0].cut.how: "},
		{"comment at nothing", turn(mp.Reply{Frame: mp.Frame{Comments: &mp.Comments{Times: 1, Before: "x"}}}), "reply[0].frame.comments.before: "},
		{"call kind", turn(mp.Reply{Call: []mp.Call{{Tool: "t", Kind: "magic"}}}), "reply[0].call[0].kind: "},
		{"call without tool", turn(mp.Reply{Call: []mp.Call{{}}}), "reply[0].call[0].tool: "},
		{"in an attempt", turn(mp.Reply{Attempts: []mp.Reply{{}, {End: "x"}}}), "reply[0].attempts[1].end: "},
		{"again alone", turn(mp.Reply{Again: true}), "reply[0].again: "},
		{"delta without item", turn(mp.Reply{Events: raws(created, `{"type":"response.output_text.delta","item_id":"m_1","delta":"x"}`, completed)}), "reply[0]: events[1] response.output_text.delta: delta of item m_1, which is not open"},
		{"completed without done", turn(mp.Reply{Events: raws(created, added, completed)}), "item m_1 was added and never done"},
		{"missing response id", turn(mp.Reply{Events: raws(`{"type":"response.completed","response":{}}`)}), "response without id"},
		{"missing call id", turn(mp.Reply{Events: raws(`{"type":"response.output_item.done","item":{"type":"function_call","id":"f_1"}}`, completed)}), "call without call_id"},
		{"missing item id", turn(mp.Reply{Events: raws(`{"type":"response.output_item.added","item":{"type":"message"}}`, completed)}), "item without id"},
		{"falling sequence", turn(mp.Reply{Events: raws(`{"type":"response.created","sequence_number":4}`, `{"type":"response.completed","sequence_number":3,"response":{"id":"r"}}`)}), "sequence_number 3 after 4"},
		{"item twice", turn(mp.Reply{Events: raws(added, done, done, completed)}), "item m_1 is done twice"},
		{"event after the end", turn(mp.Reply{Events: raws(completed, created)}), "comes after the event that ended"},
		{"no end", turn(mp.Reply{Events: raws(created)}), "reply[0].events: no event ends the response"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			faults := (&mp.Script{Replies: []mp.Reply{tt.reply}}).Check()
			require.NotEmpty(t, faults)
			require.Contains(t, faults[0].Path+": "+faults[0].Message, tt.want)
			require.False(t, faults[0].Warning)
		})
	}
}

func TestCheckLetsThrough(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reply mp.Reply
	}{
		{"what is meant to be malformed", mp.Reply{To: mp.Turn, Malformed: true, Events: raws(added, completed, created)}},
		{"a stream meant to have no end", mp.Reply{To: mp.Turn, End: "none", Events: raws(created)}},
		{"a failure with open items", mp.Reply{To: mp.Turn, Events: raws(added, `{"type":"response.failed","response":{}}`)}},
		{"items that were never added", mp.Reply{To: mp.Turn, Events: raws(done, completed)}},
		{"every call kind", mp.Reply{To: mp.Turn, Think: &mp.Think{Summary: []string{"s"}, Text: []string{"t"}, Encrypted: "e"}, Say: []string{"a", "b"}, Call: []mp.Call{
			{Tool: "f"}, {Tool: "c", Input: "x"}, {Kind: "local_shell"}, {Kind: "web_search"}, {Kind: "tool_search"}, {Kind: "image_generation"}, {Kind: "mcp", Tool: "m"},
		}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Empty(t, (&mp.Script{Replies: []mp.Reply{tt.reply}}).Check())
		})
	}
}

func TestCheckWarnsOfUnreachableReplies(t *testing.T) {
	exact := "hello"
	for _, tt := range []struct {
		name   string
		first  mp.Reply
		second mp.Reply
		warned bool
	}{
		{"same class", mp.Reply{To: mp.Turn}, mp.Reply{To: mp.Turn}, true},
		{"first has an end", mp.Reply{To: mp.Turn, Times: 1}, mp.Reply{To: mp.Turn}, false},
		{"any compaction covers one", mp.Reply{To: mp.AnyCompaction}, mp.Reply{To: mp.CompactionV2}, true},
		{"one does not cover any", mp.Reply{To: mp.CompactionV2}, mp.Reply{To: mp.AnyCompaction}, false},
		{"any does not cover prewarms", mp.Reply{To: mp.AnyClass}, mp.Reply{To: mp.Prewarm}, false},
		{"narrower first", mp.Reply{To: mp.Turn, Match: mp.Match{Model: "m"}}, mp.Reply{To: mp.Turn}, false},
		{"contained covers exact", mp.Reply{To: mp.Turn, Match: mp.Match{User: &mp.Text{Contains: "ell"}}}, mp.Reply{To: mp.Turn, Match: mp.Match{User: &mp.Text{Is: &exact}}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			faults := (&mp.Script{Replies: []mp.Reply{tt.first, tt.second}}).Check()
			require.Equal(t, tt.warned, len(faults) == 1)
			if tt.warned {
				require.True(t, faults[0].Warning)
				require.True(t, strings.HasPrefix(faults[0].Message, "can never be reached"))
				require.Equal(t, "reply[1]", faults[0].Path)
			}
		})
	}
}
