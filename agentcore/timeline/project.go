package timeline

import "slices"

// Range is a run of row numbers, both ends included.
type Range struct{ From, To int64 }

// Projected is an entry of a projection: what a reader is shown for one or more rows.
type Projected struct {
	Item Item
	Turn string
	// SeqStart is the first row's number, SeqEnd the highest.
	SeqStart, SeqEnd int64
	Sources          []Range
	Merged           bool // it stands for more than one row
}

// Project shows rows as a reader wants them: adjacent pieces of one text as one
// text, all states of a tool call as its last, at the place of its first. The
// rows are left as they are.
func Project(rows []Row) []Projected {
	var out []Projected
	tools := map[string]int{} // by turn and call: index in out
	for _, r := range rows {
		if r.Item.Kind == Tool && r.Item.ID != "" {
			key := r.Turn + "\x00" + r.Item.ID
			if i, ok := tools[key]; ok {
				out[i].addTool(r)
				continue
			}
			tools[key] = len(out)
		} else if n := len(out); n > 0 && out[n-1].continues(r) {
			out[n-1].Item.Text += r.Item.Text
			out[n-1].Item.Final = r.Item.Final
			out[n-1].Item.Status = r.Item.Status
			out[n-1].cover(r.Seq)
			continue
		}
		out = append(out, Projected{Item: r.Item, Turn: r.Turn, SeqStart: r.Seq, SeqEnd: r.Seq, Sources: []Range{{r.Seq, r.Seq}}})
	}
	return out
}

// continues says whether a row goes on with the text.
func (p *Projected) continues(r Row) bool {
	text := r.Item.Kind == Assistant || r.Item.Kind == Thought
	return text && p.Item.Kind == r.Item.Kind && p.SeqEnd+1 == r.Seq && p.Turn == r.Turn &&
		(p.Item.ID == r.Item.ID || p.Item.ID == "" || r.Item.ID == "")
}

// addTool takes a later state over. What it does not know, the earlier one may.
func (p *Projected) addTool(r Row) {
	next := r.Item
	if next.Detail == nil || next.Detail.Kind == "unknown" && p.Item.Detail != nil {
		next.Detail = p.Item.Detail
	}
	if next.Name == "" {
		next.Name = p.Item.Name
	}
	if next.Status != Failed {
		next.Error = ""
	}
	p.Item = next
	p.cover(r.Seq)
}

func (p *Projected) cover(seq int64) {
	p.Merged = true
	p.SeqEnd = max(p.SeqEnd, seq)
	if last := &p.Sources[len(p.Sources)-1]; last.To+1 == seq {
		last.To = seq
		return
	}
	p.Sources = append(p.Sources, Range{seq, seq})
}

// FetchProjected reads a page whose size is counted in projected entries. The
// page has all rows of each entry that it shows.
func (t *Timeline) FetchProjected(q Query) (Page, []Projected) {
	whole := q
	whole.Limit = All
	page := t.Fetch(whole)
	entries := Project(page.Rows)
	limit := q.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if limit < 0 || len(entries) <= limit {
		return page, entries
	}
	if page.Direction == After && !page.Reset {
		entries = entries[:limit]
	} else {
		entries = entries[len(entries)-limit:]
	}
	return t.narrow(page, entries)
}

// narrow cuts a page to the rows of its entries, and adds the entries that lie
// between them: a tool call may end long after what follows its beginning.
func (t *Timeline) narrow(page Page, shown []Projected) (Page, []Projected) {
	all := Project(page.Rows)
	from, to := span(shown)
	for {
		shown = slices.DeleteFunc(slices.Clone(all), func(e Projected) bool { return e.SeqEnd < from || e.SeqStart > to })
		f, u := span(shown)
		if f == from && u == to {
			break
		}
		from, to = f, u
	}
	page.Rows = slices.DeleteFunc(page.Rows, func(r Row) bool { return r.Seq < from || r.Seq > to })
	page.HasOlder, page.HasNewer = from > page.MinSeq, to < page.MaxSeq
	return page, shown
}

func span(entries []Projected) (from, to int64) {
	from, to = entries[0].SeqStart, entries[0].SeqEnd
	for _, e := range entries {
		from, to = min(from, e.SeqStart), max(to, e.SeqEnd)
	}
	return from, to
}
