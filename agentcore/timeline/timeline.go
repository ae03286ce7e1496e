package timeline

import (
	"fmt"
	"slices"
)

// Timeline is the state that a log of entries amounts to. The zero value is
// empty and ready. It is not safe for concurrent use.
type Timeline struct {
	Epoch string
	Rows  []Row
	Held  []Held
}

// Next is the number of the next row.
func (t *Timeline) Next() int64 { return int64(len(t.Rows)) + 1 }

// Apply adds an entry. It refuses what does not follow from what went before,
// and is then unchanged.
func (t *Timeline) Apply(e Entry) error {
	switch {
	case e.Row != nil:
		return t.append(*e.Row)
	case e.Change != nil:
		return t.change(*e.Change)
	case e.Held != nil:
		t.hold(*e.Held, len(t.Held))
	case e.HeldFirst != nil:
		t.hold(*e.HeldFirst, t.firstNew())
	case e.Dropped != "":
		t.drop(e.Dropped)
	case e.Epoch != "":
		t.Epoch, t.Rows = e.Epoch, nil
	default:
		return fmt.Errorf("an empty entry")
	}
	return nil
}

func (t *Timeline) append(r Row) error {
	if r.Seq != t.Next() {
		return fmt.Errorf("row %d follows row %d", r.Seq, len(t.Rows))
	}
	t.Rows = append(t.Rows, r)
	if r.Item.ClientID != "" {
		t.drop(r.Item.ClientID)
	}
	return nil
}

func (t *Timeline) change(r Row) error {
	if r.Seq < 1 || r.Seq > int64(len(t.Rows)) {
		return fmt.Errorf("change of row %d, the last is %d", r.Seq, len(t.Rows))
	}
	t.Rows[r.Seq-1] = r
	if r.Item.ClientID != "" && r.Item.State == "" {
		t.drop(r.Item.ClientID) // it was lost, held again, and is delivered now
	}
	return nil
}

func (t *Timeline) hold(h Held, at int) {
	same := func(o Held) bool { return o.ClientID == h.ClientID }
	if i := slices.IndexFunc(t.Held, same); i >= 0 {
		t.Held[i] = h
		return
	}
	t.Held = slices.Insert(t.Held, at, h)
}

// firstNew is the place behind the held prompts that are sent again.
func (t *Timeline) firstNew() int {
	i := 0
	for i < len(t.Held) && t.Held[i].Resend {
		i++
	}
	return i
}

func (t *Timeline) drop(clientID string) {
	for i := range t.Held {
		if t.Held[i].ClientID != clientID {
			continue
		}
		if i == 0 { // as prompts go out in order, this is the rule
			t.Held[0], t.Held = Held{}, t.Held[1:]
		} else {
			t.Held = slices.Delete(t.Held, i, i+1)
		}
		return
	}
}

// Clone is a copy that shares no slice with t.
func (t *Timeline) Clone() Timeline {
	return Timeline{Epoch: t.Epoch, Rows: slices.Clone(t.Rows), Held: slices.Clone(t.Held)}
}
