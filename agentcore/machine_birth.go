package agentcore

import (
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// Birth is what a Machine starts from.
type Birth struct {
	Record      Record
	Resume      *Handle
	HistoryOnly bool
	// Timeline is what is stored of it. Fresh: it is new, and Fresh its epoch.
	Timeline timeline.Timeline
	Fresh    string
	Limits   Limits
	Policy   Policy // of sends that have none
	Faults   Fault  // planted, to test those who look for faults
}

// NewMachine makes the machine of one agent. Its first input is the Asked with
// the CreateRequest or LoadRequest that it answers.
func NewMachine(b Birth) *Machine {
	m := &Machine{
		id: b.Record.ID, limits: b.Limits.withDefaults(), defaults: b.Policy, faults: b.Faults,
		texts: map[string]*sending{}, known: map[string]int64{}, stored: map[int]Reply{}, timers: map[string]int{},
		archived: b.Record.ArchivedAt,
	}
	m.agent = b.Record.agent()
	m.sess.resume, m.sess.historyOnly = b.Resume, b.HistoryOnly
	m.restore(b)
	return m
}

// agent is a snapshot of a closed agent.
func (r Record) agent() Agent {
	a := Agent{
		ID: r.ID, Lifecycle: Closed, Config: r.Config, Handle: r.Handle, Title: r.Title, Labels: r.Labels,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, LastUserMessageAt: r.LastUserMessageAt,
		LastError: r.LastError, Attention: r.Attention,
	}
	if r.Info != nil {
		a.Info = *r.Info
	}
	return a
}

func (m *Machine) restore(b Birth) {
	tl := b.Timeline
	m.rows = rows{epoch: tl.Epoch, next: tl.Next()}
	for _, r := range tl.Rows {
		m.rows.last, m.rows.lastAt = r.Item, r.At
		if r.Item.ClientID != "" {
			m.known[r.Item.ClientID] = r.Seq
			if r.Item.State == "" && r.ProviderID == "" && r.Turn != "" {
				m.unsure = append(m.unsure, r)
			}
		}
	}
	for _, h := range tl.Held {
		m.queue = append(m.queue, m.heldAgain(h, tl.Rows))
	}
	m.primed = len(tl.Rows) > 0 || b.Resume == nil
	m.showQueue()
	m.rows.born = tl.Epoch != ""
	if !m.rows.born {
		m.rows.epoch = b.Fresh
	}
}
