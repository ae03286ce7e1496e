package agentcore

import (
	"maps"
	"slices"
)

// archiveChildren asks for the archiving of all agents whose label says that
// this one is their parent. Their own children follow when that is done.
func (m *Manager) archiveChildren(parent string) {
	m.inBackground(func() {
		for _, id := range m.children(parent) {
			m.BeginFunc(ArchiveRequest{AgentID: id, parent: parent}, func(_ any, err error) {
				if err != nil {
					m.views.publish(Streamed{id, Notice{Level: "error", Text: "not archived with its parent: " + err.Error()}}, m.opts.Hooks.Panicked)
				}
			})
		}
	})
}

// children are the ids of an agent's children, live or stored, in order.
func (m *Manager) children(parent string) []string {
	labels := map[string]map[string]string{}
	records, _ := m.opts.Records.List() // of records that cannot be read there are no children
	for _, r := range records {
		labels[r.ID] = r.Labels
	}
	m.views.mu.RLock()
	for id, v := range m.views.agents { // what is live may not be stored yet
		if v.known {
			labels[id] = v.agent.Labels
		}
	}
	m.views.mu.RUnlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(labels)), func(id string) bool { return labels[id][ParentLabel] != parent })
}
