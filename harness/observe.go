package harness

import (
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	"github.com/heldstream/heldstream/agentcore/timeline"
	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/mockprovider"
)

// worked counts what manager and adapter have taken in and not finished with.
func (e *Env) worked(delta int) {
	e.log.Update(func() { e.run.Work += delta })
}

// observeProvider turns the provider's events into the log's.
func (e *Env) observeProvider(ev mockprovider.Event) {
	x := ev.Exchange
	switch ev.Kind {
	case mockprovider.Arrived:
		e.log.Append(x.Agent, request(x))
	case mockprovider.Unmatched:
		e.log.Append(x.Agent, eventlog.Refused{ID: x.ID, Text: ev.Text, Payload: x.Body})
	case mockprovider.Violation:
		e.log.Append(x.Agent, eventlog.Breach{ID: x.ID, Invariant: ev.What, Text: ev.Text})
	case mockprovider.Held:
		e.log.Append(x.Agent, eventlog.Held{ID: x.ID, Gate: ev.Gate})
	case mockprovider.Released:
		e.log.Append(x.Agent, eventlog.Released{ID: x.ID, Gate: ev.Gate})
	case mockprovider.Sent:
		e.log.Append(x.Agent, eventlog.Sent{ID: x.ID, What: ev.What, Data: ev.Data})
	case mockprovider.Gone:
		e.log.Append(x.Agent, eventlog.Gone{ID: x.ID})
	case mockprovider.Ended:
		e.log.Append(x.Agent, eventlog.Ended{ID: x.ID})
	}
}

func request(x *mockprovider.Exchange) eventlog.Request {
	return eventlog.Request{
		ID: x.ID, Thread: x.Thread, Turn: x.TurnID, Class: string(x.Class), Why: x.Why, N: x.N, Try: x.Try, Reply: x.Reply,
		Method: x.Method, Path: x.Path, Header: x.Header, Payload: x.Body, Transport: x.Transport, Connection: x.Connection,
		Incremental: x.Incremental, Model: x.Model, Texts: x.UserTexts, LastItem: x.LastItem, Outputs: x.Outputs,
	}
}

func exited(x codex.Exit) eventlog.Exited {
	text := strings.TrimSpace(x.Stderr)
	if x.Err != nil {
		text = strings.TrimSpace(x.Err.Error() + "\n" + text)
	}
	return eventlog.Exited{Code: x.Code, Signal: x.Signal, Text: text}
}

// observeManager turns what the manager publishes into the log's events.
func (e *Env) observeManager(u agentcore.Update) {
	name := e.nameOf(u.AgentID())
	switch u := u.(type) {
	case agentcore.StateChanged:
		e.log.Append(name, eventlog.State{Lifecycle: string(u.Agent.Lifecycle), Queued: len(u.Agent.Queued), Error: u.Agent.LastError})
	case agentcore.RowAppended:
		e.log.Append(name, row(u.Row, false))
	case agentcore.RowChanged:
		e.log.Append(name, row(u.Row, true))
	case agentcore.Undelivered:
		e.log.Append(name, eventlog.Undelivered{ID: u.ClientID, Text: u.Text, Resend: u.Resend})
	case agentcore.Streamed:
		if b := streamed(u.Event); b != nil {
			e.log.Append(name, b)
		}
	}
}

func row(r timeline.Row, changed bool) eventlog.Row {
	it := r.Item
	note := it.State
	if it.Kind == timeline.Assistant && it.Status == timeline.Aborted {
		note = string(it.Status)
	}
	return eventlog.Row{
		Seq: int(r.Seq), Kind: string(it.Kind), Name: it.Name, Text: it.Text, Status: string(it.Status),
		Note: note, Item: it.ID, Turn: r.Turn, Changed: changed,
	}
}

// streamed returns the log's event for what a session told, nil for what the
// log has already.
func streamed(ev agentcore.Event) eventlog.Body {
	switch ev := ev.(type) {
	case agentcore.TurnStarted:
		return eventlog.Turn{ID: ev.Turn, Status: "started"}
	case agentcore.TurnEnded:
		if ev.Turn == "" {
			return nil // a start that failed: there was no turn
		}
		return eventlog.Turn{ID: ev.Turn, Status: string(ev.Status), Error: ev.Error, Usage: usageOf(ev.Usage)}
	case agentcore.Notice:
		return eventlog.Notice{Level: ev.Level, Text: ev.Text, Code: ev.Code, Retry: ev.Retry}
	case agentcore.PermissionRequested:
		return eventlog.Permission{Request: ev.Request.ID, Item: ev.Request.Item, Title: ev.Request.Title}
	case agentcore.PermissionResolved:
		return eventlog.Permission{Request: ev.Request, Outcome: outcome(ev)}
	}
	return nil
}

func outcome(ev agentcore.PermissionResolved) string {
	switch {
	case ev.Canceled:
		return "cancelled"
	case ev.Response.Allow:
		return "allowed"
	}
	return "denied"
}

func usageOf(u *agentcore.Usage) map[string]int64 {
	if u == nil {
		return nil
	}
	all := map[string]int64{}
	for name, n := range map[string]*int64{"input": u.Input, "cached": u.CachedInput, "output": u.Output, "total": u.Total} {
		if n != nil {
			all[name] = *n
		}
	}
	return all
}
