package timeline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func filled(t *testing.T, n int) *Timeline {
	t.Helper()
	tl := &Timeline{}
	require.NoError(t, tl.Apply(Entry{Epoch: "e1"}))
	for i := 1; i <= n; i++ {
		require.NoError(t, tl.Apply(Entry{Row: &Row{Seq: int64(i), Item: Item{Kind: User, Text: fmt.Sprint(i)}}}))
	}
	return tl
}

func at(seq int64) *Cursor { return &Cursor{"e1", seq} }

// TestFetch: 13.O1, 13.O2, 13.O3, 13.O4, 13.O5, 13.O6.
func TestFetch(t *testing.T) {
	for _, c := range []struct {
		name         string
		q            Query
		first, last  int64
		older, newer bool
		reset        bool
	}{
		{"the tail", Query{Limit: 3}, 8, 10, true, false, false},
		{"all", Query{Limit: All}, 1, 10, false, false, false},
		{"the default is more than there is", Query{}, 1, 10, false, false, false},
		{"after a cursor", Query{Direction: After, Cursor: at(4), Limit: 3}, 5, 7, true, true, false},
		{"after the last", Query{Direction: After, Cursor: at(10)}, 0, 0, true, false, false},
		{"after nothing is from the start", Query{Direction: After, Limit: 2}, 1, 2, false, true, false},
		{"before a cursor", Query{Direction: Before, Cursor: at(4), Limit: 2}, 2, 3, true, true, false},
		{"before the first", Query{Direction: Before, Cursor: at(1)}, 0, 0, false, true, false},
		{"a cursor of another epoch is reset", Query{Direction: After, Cursor: &Cursor{"old", 4}, Limit: 2}, 9, 10, true, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := filled(t, 10).Fetch(c.q)
			require.Equal(t, c.reset, p.Reset)
			require.Equal(t, [2]bool{c.older, c.newer}, [2]bool{p.HasOlder, p.HasNewer})
			if c.first == 0 {
				require.Empty(t, p.Rows)
				return
			}
			require.Equal(t, c.first, p.Rows[0].Seq)
			require.Equal(t, c.last, p.Rows[len(p.Rows)-1].Seq)
		})
	}
	empty := (&Timeline{Epoch: "e1"}).Fetch(Query{})
	require.Equal(t, Page{Epoch: "e1", Direction: Tail, NextSeq: 1}, empty)
}

func TestApplyRefusesWhatDoesNotFollow(t *testing.T) {
	tl := filled(t, 2)
	require.Error(t, tl.Apply(Entry{Row: &Row{Seq: 4}}))
	require.Error(t, tl.Apply(Entry{Change: &Row{Seq: 3}}))
	require.Error(t, tl.Apply(Entry{}))
	require.Len(t, tl.Rows, 2)
}

// TestHeld: a held prompt is held until it has a row, is taken back, or, if it
// was lost and has one, until that says that it is delivered.
func TestHeld(t *testing.T) {
	tl := filled(t, 0)
	apply := func(e Entry) { require.NoError(t, tl.Apply(e)) }
	ids := func() (ids []string) {
		for _, h := range tl.Held {
			ids = append(ids, h.ClientID)
		}
		return ids
	}
	apply(Entry{Held: &Held{ClientID: "a"}})
	apply(Entry{Held: &Held{ClientID: "b"}})
	apply(Entry{HeldFirst: &Held{ClientID: "lost1", Resend: true}})
	apply(Entry{HeldFirst: &Held{ClientID: "lost2", Resend: true}})
	require.Equal(t, []string{"lost1", "lost2", "a", "b"}, ids())
	apply(Entry{Row: &Row{Seq: 1, Item: Item{Kind: User, ClientID: "a"}}})
	apply(Entry{Dropped: "b"})
	apply(Entry{Row: &Row{Seq: 2, Item: Item{Kind: User, Text: "x"}}})
	require.Equal(t, []string{"lost1", "lost2"}, ids())
	apply(Entry{Change: &Row{Seq: 2, Item: Item{ClientID: "lost1", State: "undelivered"}}})
	require.Equal(t, []string{"lost1", "lost2"}, ids())
	apply(Entry{Change: &Row{Seq: 2, Item: Item{ClientID: "lost1"}}})
	require.Equal(t, []string{"lost2"}, ids())
	clone := tl.Clone()
	apply(Entry{Epoch: "e2"})
	require.Empty(t, tl.Rows)
	require.Len(t, clone.Rows, 2)
}

func rowsOf(items ...Item) *Timeline {
	tl := &Timeline{Epoch: "e1"}
	for i, item := range items {
		tl.Rows = append(tl.Rows, Row{Seq: int64(i + 1), Turn: "t1", Item: item})
	}
	return tl
}

func said(text string) Item { return Item{Kind: Assistant, ID: "m", Text: text} }
func tool(id string, s Status) Item {
	return Item{Kind: Tool, ID: id, Name: "shell", Status: s, Detail: &Detail{Kind: "unknown"}}
}

// TestProject: 13.R1, 13.R2, 13.R3, 13.R4, 13.R7.
func TestProject(t *testing.T) {
	known := tool("x", Running)
	known.Detail = &Detail{Kind: "shell", Command: "ls"}
	failed := tool("x", Completed)
	failed.Error = "left over"
	tl := rowsOf(said("a"), said("b"), known, Item{Kind: Thought, Text: "hm"}, Item{Kind: Thought, Text: "m"}, failed, said("c"))
	before := tl.Clone()
	got := Project(tl.Rows)
	require.Len(t, got, 4)
	require.Equal(t, "ab", got[0].Item.Text)
	require.Equal(t, []Range{{1, 2}}, got[0].Sources)
	require.Equal(t, Completed, got[1].Item.Status)
	require.Equal(t, "ls", got[1].Item.Detail.Command, "what is not known does not hide what is")
	require.Empty(t, got[1].Item.Error)
	require.Equal(t, []Range{{3, 3}, {6, 6}}, got[1].Sources)
	require.Equal(t, int64(6), got[1].SeqEnd)
	require.Equal(t, "hmm", got[2].Item.Text)
	require.Equal(t, "c", got[3].Item.Text, "a text behind something else is another")
	require.Equal(t, before.Rows, tl.Rows, "the rows are left alone")
}

// TestFetchProjected: 13.R5, 13.R6, 13.R8, 13.R9.
func TestFetchProjected(t *testing.T) {
	tl := rowsOf(said("a"), tool("x", Running), Item{Kind: User, Text: "u"}, tool("x", Completed), said("b"), said("c"))
	page, entries := tl.FetchProjected(Query{Limit: 1})
	require.Len(t, entries, 1)
	require.Equal(t, "bc", entries[0].Item.Text)
	require.Equal(t, int64(5), page.Rows[0].Seq)
	require.True(t, page.HasOlder)

	page, entries = tl.FetchProjected(Query{Direction: After, Cursor: at(1), Limit: 1})
	require.Len(t, entries, 2, "the user's text lies between the two rows of the tool call")
	require.Len(t, page.Rows, 3)
	require.True(t, page.HasNewer)

	_, entries = tl.FetchProjected(Query{Direction: Before, Cursor: at(2), Limit: 5})
	require.Len(t, entries, 1)
}
