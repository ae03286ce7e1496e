package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/heldstream/heldstream/mockprovider"
)

// check finds what can be known to be wrong without running. Each finding
// would otherwise cost a run, or worse, make one that proves nothing.
func (b *builder) check() {
	b.checkVersion()
	b.checkSlow()
	gates := b.gates()
	b.checkGates(gates)
	b.checkAgents()
	b.checkRunTimeNames()
	b.checkClasses()
	b.checkFrames()
	b.checkAwaits(gates)
	b.checkOrder()
	b.checkTexts()
	b.checkScript()
}

// checkScript has the provider check what it will be given, and finds the
// places of its faults.
func (b *builder) checkScript() {
	for _, f := range b.plan.Script.Check() {
		if b.sound(f.Path) && b.sound(f.Message) {
			b.faults = append(b.faults, Fault{Pos: b.place(f.Path), Message: b.inWords(f), Warning: f.Warning})
		}
	}
}

var replyIndex = regexp.MustCompile(`reply\[(\d+)\]`)

// sound says that the replies that a text names were read without a fault.
// The provider cannot know what stood in those that were not.
func (b *builder) sound(text string) bool {
	for _, m := range replyIndex.FindAllStringSubmatch(text, -1) {
		if i, err := strconv.Atoi(m[1]); err == nil && i < len(b.replyOK) && !b.replyOK[i] {
			return false
		}
	}
	return true
}

// inWords is a fault of the provider as one about the file: with lines for
// indices, and with what it is about in front.
func (b *builder) inWords(f mockprovider.Fault) string {
	message := replyIndex.ReplaceAllStringFunc(f.Message, func(s string) string {
		i, err := strconv.Atoi(s[len("reply[") : len(s)-1])
		if err != nil || i >= len(b.replies) {
			return "another reply"
		}
		return fmt.Sprintf("the one in line %d", b.replies[i].pos.Line)
	})
	about := "this " + f.Path[strings.LastIndex(f.Path, ".")+1:]
	about, _, _ = strings.Cut(about, "[")
	if verb, _, _ := strings.Cut(message, " "); slices.Contains([]string{"is", "has", "can", "names", "goes", "counts", "takes"}, verb) {
		return about + " " + message
	}
	return about + ": " + message
}

// place finds the value that a path like reply[2].hold.before names, or the
// nearest one that there is.
func (b *builder) place(path string) Pos {
	at := Pos{b.file.Name, 1, 1}
	v := b.tree
	if provider := v.get("provider"); provider != nil && !strings.HasPrefix(path, "reply") {
		v, at = provider, provider.pos
	}
	for part := range strings.SplitSeq(path, ".") {
		name, index, indexed := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		next := v.get(name)
		if indexed {
			next = b.element(name, next, index)
		}
		if next == nil {
			return at
		}
		v, at = next, next.pos
	}
	return at
}

// element is an element of a list; a list of one may stand as that one.
func (b *builder) element(name string, list *value, index string) *value {
	i, err := strconv.Atoi(index)
	items := list.list()
	if name == "reply" {
		items = b.replies
	}
	switch {
	case err != nil || list == nil:
		return nil
	case list.kind != isArray && i == 0:
		return list
	case i < 0 || i >= len(items):
		return nil
	}
	return items[i]
}

func (b *builder) checkVersion() {
	if v := b.tree.get("codex", "version"); v != nil && v.kind == isText && !isVersion(v.str) {
		b.fault(v, `%s is no version; write one like "0.171.0"`, shortQuote(v.str))
	}
}

// leastCompactLimit is the least limit that codex's own prompt stays under:
// below it each turn compacts again and again.
const leastCompactLimit = 6_000

func (b *builder) checkSlow() {
	limit := b.tree.get("codex", "config", "model_auto_compact_token_limit")
	if limit != nil && limit.kind == isInt && limit.num < leastCompactLimit {
		b.warn(limit.pos, "codex's own prompt fills a limit of %d tokens, so each turn compacts again; take at least 6_000", limit.num)
	}
	if b.plan.IsScript() {
		if !b.doubts.sure("step") {
			return
		}
		b.warn(Pos{b.file.Name, 1, 1}, "there is no step: `replay serve` takes this file, `replay run` does not; add a [[step]] to run it")
		return
	}
	for _, v := range b.replies {
		if delay := v.get("delay"); delay != nil {
			b.warn(delay.key, "a delay takes real time and proves no order; use hold, and a release step")
		}
	}
}

// walkSteps calls f for each step, those in together as well, with its table.
func (b *builder) walkSteps(f func(s *Step, v *value)) {
	for i := range b.plan.Steps {
		s, v := &b.plan.Steps[i], b.stepTables[i]
		f(s, v)
		if t, ok := s.Action.(*Together); ok {
			for j := range t.Steps {
				f(&t.Steps[j], v.get("together").items[t.Steps[j].Index-1])
			}
		}
	}
}

// inner is the place of the deepest of names that the table has, or of the
// table itself.
func inner(v *value, names ...string) Pos {
	pos := v.pos
	for _, name := range names {
		if v = v.get(name); v == nil {
			break
		}
		pos = v.pos
	}
	return pos
}
