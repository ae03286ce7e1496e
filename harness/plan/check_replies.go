package plan

import (
	"reflect"
	"slices"
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
	if slices.Contains(b.replyOK, false) {
		return true // it may be the one
	}
	for _, p := range b.plan.Script.Replies {
		if covers(p.To, c) || covers(c, p.To) {
			return true
		}
	}
	return hasDefault(c)
}

// checkShadowed finds replies that an earlier one leaves nothing to.
func (b *builder) checkShadowed() {
	list := b.plan.Script.Replies
	for i, p := range list {
		for j := range i {
			if b.replyOK[i] && b.replyOK[j] && takesAll(list[j], p) {
				b.faultAt(b.replies[i].pos, "this reply never answers: the one in line %d takes all its requests; give that one times or match, or put it below",
					b.replies[j].pos.Line)
				break
			}
		}
	}
}

// takesAll says whether earlier, having no end, answers all that later could.
func takesAll(earlier, later reply) bool {
	if earlier.Times != 0 || !covers(earlier.To, later.To) || earlier.Path != "" && earlier.Path != later.Path {
		return false
	}
	if earlier.To == mockprovider.AnyClass && hasDefault(later.To) {
		return false
	}
	return reflect.DeepEqual(earlier.Match, match{}) || reflect.DeepEqual(earlier.Match, later.Match)
}

// hasDefault says whether the provider answers a class without any reply, so
// that one to "any" need not mean it.
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
