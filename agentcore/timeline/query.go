package timeline

// Direction is where a Query reads from.
type Direction string

// The directions. The zero value is Tail.
const (
	Tail   Direction = "tail"
	Before Direction = "before"
	After  Direction = "after"
)

// Cursor is a place in a timeline.
type Cursor struct {
	Epoch string
	Seq   int64
}

// DefaultLimit is the number of rows of a page when a Query names none.
const DefaultLimit = 200

// All as a limit asks for every row.
const All = -1

// Query asks for a page of rows.
type Query struct {
	Direction Direction
	Cursor    *Cursor
	// Limit is the number of rows at most; 0 is DefaultLimit.
	Limit int
}

// Page is the answer to a Query.
type Page struct {
	Epoch     string
	Direction Direction
	// Reset says that the cursor is of no use and that the page is the tail:
	// because of another epoch (Stale) or of rows that are not kept (Gap).
	Reset, Stale, Gap  bool
	MinSeq, MaxSeq     int64 // of all rows; 0 when there are none
	NextSeq            int64
	HasOlder, HasNewer bool
	Rows               []Row
}

// Fetch reads a page. The rows are the caller's own.
func (t *Timeline) Fetch(q Query) Page {
	p := Page{Epoch: t.Epoch, Direction: q.Direction, NextSeq: t.Next()}
	if p.Direction == "" {
		p.Direction = Tail
	}
	if len(t.Rows) == 0 {
		p.Stale = q.Cursor != nil && q.Cursor.Epoch != t.Epoch
		p.Reset = p.Stale
		return p
	}
	p.MinSeq, p.MaxSeq = t.Rows[0].Seq, t.Rows[len(t.Rows)-1].Seq
	if c := q.Cursor; c != nil && p.Direction != Tail {
		p.Stale = c.Epoch != t.Epoch
		p.Gap = !p.Stale && p.Direction == After && c.Seq < p.MinSeq-1
		p.Reset = p.Stale || p.Gap
	}
	t.page(&p, q)
	return p
}

func (t *Timeline) page(p *Page, q Query) {
	from, to := 0, len(t.Rows) // a half-open range of indexes
	if c := q.Cursor; c != nil && !p.Reset {
		switch p.Direction {
		case After:
			from = clamp(int(c.Seq-p.MinSeq+1), to)
		case Before:
			to = clamp(int(c.Seq-p.MinSeq), to)
		}
	}
	limit := q.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if limit > 0 && to-from > limit {
		if p.Direction == After && !p.Reset {
			to = from + limit
		} else {
			from = to - limit
		}
	}
	p.HasOlder, p.HasNewer = from > 0, to < len(t.Rows)
	p.Rows = append([]Row(nil), t.Rows[from:to]...)
}

func clamp(n, limit int) int { return max(0, min(n, limit)) }
