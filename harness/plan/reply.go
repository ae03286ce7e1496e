package plan

import (
	"time"

	"github.com/heldstream/heldstream/mockprovider"
)

type reply = mockprovider.Reply

// replyClasses are what `to` can be.
func replyClasses() []string {
	return []string{
		"turn", "compaction", "compaction.inline", "compaction.v1", "compaction.v2", "prewarm", "review", "guardian",
		"subagent", "models", "side", "any",
	}
}

func replyKind() kind[reply] { return theReplyKind.get(newReplyKind) }

var theReplyKind once[kind[reply]]

func newReplyKind() kind[reply] {
	return kind[reply]{"a reply", []key[reply]{
		required(field("to", convert(wordForm(replyClasses()...), asClass), func(p *reply) *mockprovider.Class { return &p.To },
			"the class of requests that it answers; compaction is any form of one")),
		field("path", nonEmptyForm("path"), func(p *reply) *string { return &p.Path },
			`with to = "side": the path that it answers`),
		field("match", matchKind().asForm(), func(p *reply) *mockprovider.Match { return &p.Match },
			"narrows the requests that it answers; see match below"),
		elsewhere[reply]("when", "{ AXIS = value }", "only in variants that these axes select", whenSchema()),
		field("times", positiveForm(), func(p *reply) *int { return &p.Times },
			"requests that it answers; without it there is no end"),
		field("optional", boolForm(), func(p *reply) *bool { return &p.Optional },
			"true: it need not be used; otherwise a reply with times that is never used fails the run"),
		field("say", oneOrMore(textForm()), func(p *reply) *[]string { return &p.Say },
			"the assistant's message; a list is sent as so many deltas"),
		field("think", thinkForm(), func(p *reply) **mockprovider.Think { return &p.Think },
			"a reasoning item: its summary, or summary, text and encrypted content"),
		field("call", oneOrMore(callKind().asForm()), func(p *reply) *[]mockprovider.Call { return &p.Call },
			"tool calls: args of a function, input of a custom tool"),
		field("compaction", oneOrMore(textForm()), func(p *reply) *[]string { return &p.Compaction },
			"text of the compaction item that a remote compaction answers with; a list makes several"),
		field("tokens", tokensForm(), func(p *reply) **mockprovider.Tokens { return &p.Tokens },
			`the usage that it reports: N is input N, output 0, total N; 100 unless there is a meter`),
		field("id", nonEmptyForm("text"), func(p *reply) *string { return &p.ID },
			"the response's id"),
		field("end", endForm(), func(p *reply) *string { return &p.End },
			"how the response ends"),
		field("message", textForm(), func(p *reply) *string { return &p.Message },
			"with end = \"failed:CODE\": the error's message"),
		field("status", intForm("N", 200, "an HTTP status, 200 to 599"), func(p *reply) *int { return &p.Status },
			"HTTP status; of 400 and up it stands instead of a stream"),
		field("body", textForm(), func(p *reply) *string { return &p.Body },
			"the body, instead of a stream"),
		field("headers", mapForm(textForm()), func(p *reply) *map[string]string { return &p.Headers },
			"response headers; on a WebSocket they go as response.metadata"),
		field("hold", oneOrMore(holdForm()), func(p *reply) *[]mockprovider.Hold { return &p.Holds },
			"a gate that it stands at until a step releases it: before the headers of a compaction, before the first event of the rest"),
		field("delay", durationForm(), func(p *reply) *time.Duration { return &p.Delay },
			"real time before each event; a gate is better"),
		field("cut", cutForm(), func(p *reply) **mockprovider.Cut { return &p.Cut },
			"breaks the connection after an event or a number of bytes"),
		field("frame", frameKind().asForm(), func(p *reply) *mockprovider.Frame { return &p.Frame },
			"how the events are put on the wire"),
		field("events", listForm(rawTableForm()), setEvents, "raw events, as they are"),
		field("malformed", boolForm(), func(p *reply) *bool { return &p.Malformed },
			"true: lets a faulty sequence of events through"),
		{name: "attempts", form: "list of replies", schema: schema{"type": "array", "items": ref("attempt")}, read: readAttempts,
			use: "what each try gets; keys that a try leaves out are the reply's own ({} is the reply)"},
		{name: "again", form: "true", schema: schema{"type": "boolean"}, read: readAgain,
			use: "in the last of attempts: every further try gets it as well"},
	}}
}

func asClass(s string) mockprovider.Class { return mockprovider.Class(s) }

// readReply reads one reply, with its attempts complete in themselves.
func readReply(r *reader, v *value) (reply, bool) {
	var p reply
	ok := replyKind().read(r, v, &p)
	return p, ok
}

// readAttempts reads each attempt laid over the reply's own table. The merged
// tables replace the attempts in the tree, so that places are found in them.
func readAttempts(r *reader, v *value, into *reply) {
	if v.kind != isArray || len(v.items) == 0 {
		wrong(r, v, "a list of replies, one for each try, like [{ status = 500 }, {}]")
		return
	}
	for i, item := range v.items {
		if item.kind != isTable {
			wrong(r, item, "a reply as a table, like { status = 500 }")
			continue
		}
		if again := item.members["again"]; again != nil {
			into.Again = again.yes
			if i < len(v.items)-1 {
				r.faultAt(again.key, "only the last attempt can say again; take it out here")
			}
		}
		if p, ok := readReply(r, item); ok {
			p.Again = false
			into.Attempts = append(into.Attempts, p)
		}
	}
}

func readAgain(r *reader, v *value, _ *reply) { boolForm().read(r, v) }

// overlayAttempts returns the reply with each of its attempts completed by the
// keys of the reply itself.
func overlayAttempts(v *value) *value {
	attempts := v.get("attempts")
	if attempts == nil || attempts.kind != isArray {
		return v
	}
	list := *attempts
	list.items = make([]*value, len(attempts.items))
	for i, item := range attempts.items {
		list.items[i] = overlay(v, item)
	}
	whole := v.clone()
	whole.put("attempts", &list)
	return whole
}

// overlay is a table of own, with the keys of base that it has not.
func overlay(base, own *value) *value {
	if own.kind != isTable {
		return own
	}
	merged := own.clone()
	for _, name := range base.names {
		if name != "attempts" && merged.members[name] == nil {
			merged.put(name, base.members[name])
		}
	}
	return merged
}
