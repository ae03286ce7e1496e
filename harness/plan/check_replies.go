package plan

import (
	"strings"

	"github.com/heldstream/heldstream/mockprovider"
)

// covers says whether what answers `wide` answers all of `narrow` too.
func covers(wide, narrow mockprovider.Class) bool {
	return wide == narrow || wide == mockprovider.AnyClass ||
		wide == mockprovider.AnyCompaction && strings.HasPrefix(string(narrow), "compaction")
}

// answers says whether some reply can answer a request of the class.
func (b *builder) answers(class string) bool {
	c := mockprovider.Class(class)
	if !b.doubts.sure("reply") {
		return true // what could not be read may be the one
	}
	for _, p := range b.plan.Script.Replies {
		if covers(p.To, c) || covers(c, p.To) {
			return true
		}
	}
	return hasDefault(c)
}

// hasDefault says whether the provider answers a class without any reply.
func hasDefault(c mockprovider.Class) bool {
	return c == mockprovider.Prewarm || c == mockprovider.Side || c == mockprovider.Models
}

// checkClasses warns of classes that codex does not send as it is set up.
func (b *builder) checkClasses() {
	if b.plan.IsScript() || b.plan.Codex.Config["model_provider"] != nil {
		return
	}
	local := b.plan.Axes.Compaction == "local"
	for i, p := range b.plan.Script.Replies {
		pos := inner(b.replies[i], "to")
		switch {
		case local && (p.To == mockprovider.CompactionV1 || p.To == mockprovider.CompactionV2):
			b.warn(pos, "codex compacts locally here, so nothing asks for this; write to = \"compaction\", or [provider] kind = \"openai\"")
		case !local && p.To == mockprovider.CompactionInline:
			b.warn(pos, "codex compacts remotely here, so nothing asks for this; write to = \"compaction\", or [provider] kind = \"custom\"")
		case b.plan.Axes.Transport == "sse" && p.To == mockprovider.Prewarm:
			b.warn(pos, "codex prewarms WebSockets only, so nothing asks for this; set [provider] transport = \"websocket\"")
		}
	}
}

// checkFrames warns of keys that shape the text of server-sent events, which a
// WebSocket does not have.
func (b *builder) checkFrames() {
	if b.plan.Axes.Transport != "websocket" {
		return
	}
	for _, reply := range b.replies {
		frame := reply.get("frame")
		if frame == nil {
			continue
		}
		for _, name := range []string{"crlf", "event_lines", "done", "coalesce"} {
			if v := frame.get(name); v != nil {
				b.warn(v.key, "a WebSocket sends each event as a message, so %s does nothing here; take it out, or set [provider] transport = \"sse\"", name)
			}
		}
	}
}
