package agentcore

import (
	"maps"
	"strings"
	"time"
)

// OnRecord carries out a request on the record of an agent that is not live,
// and says whether the record has changed. Requests that need a session are
// refused. Like Machine it is pure.
func OnRecord(r *Record, request Request, now time.Time) (result any, changed bool, err error) {
	switch q := request.(type) {
	case ArchiveRequest:
		return nil, r.archive(q, now), nil
	case UnarchiveRequest:
		was := r.ArchivedAt != nil
		r.ArchivedAt = nil
		r.touch(now)
		return was, was, nil
	case EditRequest:
		a := r.agent()
		if err := q.apply(&a, false, now); err != nil {
			return nil, false, err
		}
		r.Title, r.Labels, r.Attention = a.Title, a.Labels, a.Attention
		r.touch(now)
		return r.agent(), true, nil
	}
	return nil, false, errNoSession(r.ID)
}

func (r *Record) touch(now time.Time) { r.UpdatedAt = later(r.UpdatedAt, now) }

// later is now, or the first time that is later than the one before.
func later(before, now time.Time) time.Time {
	if next := before.Add(time.Millisecond); now.Before(next) {
		return next
	}
	return now
}

func (r *Record) archive(q ArchiveRequest, now time.Time) bool {
	if r.ArchivedAt != nil || !q.meant(r.Labels) {
		return false
	}
	r.touch(now)
	at := r.UpdatedAt
	r.ArchivedAt, r.Attention = &at, nil
	if r.LastStatus == Running || r.LastStatus == Initializing {
		r.LastStatus = Idle
	}
	return true
}

// meant says whether an agent with these labels is the one to archive: a child
// that has been detached meanwhile is not.
func (q ArchiveRequest) meant(labels map[string]string) bool {
	return q.parent == "" || labels[ParentLabel] == q.parent
}

// apply makes the changes. read says that the agent is finished and was read.
func (q EditRequest) apply(a *Agent, read bool, now time.Time) error {
	if q.MarkUnread {
		if !read {
			return saying("Agent is no longer finished and read")
		}
		a.Attention = &Attention{"finished", now}
	}
	if q.ClearAttention {
		a.Attention = nil
	}
	if title := strings.TrimSpace(q.Title); title != "" {
		a.Title = title
	}
	if len(q.Labels) > 0 {
		labels := maps.Clone(a.Labels)
		if labels == nil {
			labels = map[string]string{}
		}
		maps.Copy(labels, q.Labels)
		maps.DeleteFunc(labels, func(_, v string) bool { return v == "" })
		a.Labels = labels
	}
	return nil
}
