package interact

import (
	"errors"
	"fmt"
	"strings"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

// callName is the name of a call as ack and reject know it.
func callName(op agentcore.Op) string {
	switch op := op.(type) {
	case agentcore.StartTurn:
		return "start"
	case agentcore.SteerTurn:
		return "steer"
	case agentcore.InterruptTurn:
		return "interrupt"
	case agentcore.CloseSession:
		return "close"
	case agentcore.ReadHistory:
		return "history"
	default:
		_, name, _ := strings.Cut(fmt.Sprintf("%T", op), ".")
		return strings.ToLower(name)
	}
}

// describe is one effect as a line; "" for those that say nothing of interest.
func describe(e agentcore.Effect, names map[agentcore.ReqID]string) string {
	switch e := e.(type) {
	case agentcore.OpenSession:
		return "open session" + opt(" resume=", resumed(e.Request)) + also(" read-only", e.Request.HistoryOnly)
	case agentcore.CallSession:
		return "call " + describeCall(e.Call.Op)
	case agentcore.StartTimer:
		return fmt.Sprintf("timer %s %v", e.Timer, e.After)
	case agentcore.Append:
		return describeEntries(e.Entries)
	case agentcore.Publish:
		return describeUpdate(e.Update)
	case agentcore.Reply:
		return describeReply(names[e.Req], e)
	case agentcore.Tell:
		return fmt.Sprintf("fate of %s: %s", names[e.Req], e.Fate)
	case agentcore.Alert:
		return "attention: " + e.Attention.Reason
	case agentcore.Archived:
		return "archived: its children follow"
	case agentcore.Ended:
		return "end of the machine"
	}
	return ""
}

func resumed(r agentcore.OpenRequest) string {
	if r.Resume == nil {
		return ""
	}
	return r.Resume.SessionID
}

func opt(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

func also(s string, on bool) string {
	if !on {
		return ""
	}
	return s
}

func describeCall(op agentcore.Op) string {
	name := callName(op)
	switch op := op.(type) {
	case agentcore.StartTurn:
		return fmt.Sprintf("%s %q", name, op.Prompt.Text)
	case agentcore.SteerTurn:
		return fmt.Sprintf("%s %q into %s", name, op.Prompt.Text, op.Turn)
	case agentcore.InterruptTurn:
		return name + opt(" ", op.Turn)
	case agentcore.Respond:
		return fmt.Sprintf("%s %s allow=%v", name, op.Request, op.Response.Allow)
	case agentcore.Set:
		return fmt.Sprintf("%s %s=%v", name, op.Name, op.Value)
	case agentcore.Raw:
		return name + " " + op.Method
	}
	return name
}

// describeEntries shows what only the store learns; rows are shown as updates.
func describeEntries(entries []timeline.Entry) string {
	var lines []string
	for _, e := range entries {
		switch {
		case e.Held != nil:
			lines = append(lines, "store queued "+e.Held.ClientID)
		case e.HeldFirst != nil:
			lines = append(lines, "store queued first "+e.HeldFirst.ClientID)
		case e.Dropped != "":
			lines = append(lines, "store no more queued "+e.Dropped)
		}
	}
	return strings.Join(lines, "\n")
}

func describeReply(name string, r agentcore.Reply) string {
	if r.Err != nil {
		kind := ""
		if errors.Is(r.Err, agentcore.ErrAmbiguous) {
			kind = " (ambiguous)"
		}
		return fmt.Sprintf("reply to %s: error%s: %v", name, kind, r.Err)
	}
	return fmt.Sprintf("reply to %s: %s", name, describeResult(r.Result))
}

func describeResult(v any) string {
	switch v := v.(type) {
	case nil:
		return "ok"
	case agentcore.Agent:
		return string(v.Lifecycle)
	case agentcore.SendResult:
		return string(v.Disposition) + opt(" ", v.Turn)
	case agentcore.RunResult:
		return fmt.Sprintf("%s, final text %q", v.Status, v.FinalText)
	case agentcore.InterruptResult:
		return v.Outcome
	case agentcore.WaitResult:
		s := string(v.Status)
		if v.Permission != nil {
			s += " permission=" + v.Permission.ID
		}
		return s + opt(" last=", v.LastMessage)
	case timeline.Row:
		return fmt.Sprintf("row %d", v.Seq)
	case agentcore.Handle:
		return v.SessionID
	case string:
		if v == "" {
			return "ok"
		}
		return v
	}
	return fmt.Sprint(v)
}

func describeUpdate(u agentcore.Update) string {
	switch u := u.(type) {
	case agentcore.StateChanged:
		return describeState(u.Agent)
	case agentcore.RowAppended:
		return describeRow("row", u.Row)
	case agentcore.RowChanged:
		return describeRow("row now", u.Row)
	case agentcore.Undelivered:
		return "undelivered " + u.ClientID + also(", sent again", u.Resend)
	case agentcore.TimelineReplaced:
		return "timeline " + u.Epoch
	case agentcore.QueueChanged:
		return fmt.Sprintf("queue of %d", len(u.Queued))
	case agentcore.Streamed:
		return "event " + describeEvent(u.Event)
	}
	return fmt.Sprintf("%T", u)
}

func describeState(a agentcore.Agent) string {
	s := "state " + string(a.Lifecycle)
	s += opt(" turn=", a.Turn) + also(" autonomous", a.Turn != "" && !a.Foreground) + also(" starting", a.Starting) + also(" replacing", a.Replacing)
	if n := len(a.Permissions); n > 0 {
		s += fmt.Sprintf(" permissions=%d", n)
	}
	if n := len(a.Queued); n > 0 {
		s += fmt.Sprintf(" queued=%d", n)
	}
	if a.LastError != "" {
		s += fmt.Sprintf(" error=%q", a.LastError)
	}
	return s
}

func describeRow(what string, r timeline.Row) string {
	i := r.Item
	s := fmt.Sprintf("%s %d %s", what, r.Seq, i.Kind)
	if i.Text != "" {
		s += fmt.Sprintf(" %q", i.Text)
	}
	s += opt(" ", i.Name) + opt(" ", string(i.Status)) + opt(" ", i.State) + opt(" ", i.Trigger)
	return s + opt(" turn=", r.Turn) + opt(" taken=", r.ProviderID)
}

func describeEvent(e agentcore.Event) string {
	switch e := e.(type) {
	case agentcore.TurnStarted:
		return "turn started " + e.Turn
	case agentcore.TurnEnded:
		return "turn ended " + e.Turn + " " + string(e.Status) + opt(": ", e.Error)
	case agentcore.PermissionRequested:
		return "permission asked " + e.Request.ID
	case agentcore.PermissionResolved:
		how := "denied"
		switch {
		case e.Canceled:
			how = "canceled: " + e.Response.Message
		case e.Response.Allow:
			how = "allowed"
		}
		return "permission " + e.Request + " " + how
	case agentcore.Notice:
		return e.Level + ": " + e.Text
	case agentcore.Exited:
		return "session exited"
	}
	_, name, _ := strings.Cut(fmt.Sprintf("%T", e), ".")
	return strings.ToLower(name)
}
