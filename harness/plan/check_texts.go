package plan

import (
	"slices"
	"strings"
)

// checkTexts wants each text that is expected of the user or the model to
// stand somewhere in what they say: most of the others are slips of the pen.
func (b *builder) checkTexts() {
	if b.plan.IsScript() || b.plan.Subject.Kind == "command" || b.plan.Subject.Kind == "manager" {
		return
	}
	said := b.said()
	for _, e := range slices.Concat(b.plan.Expect, b.otherVersions) {
		b.checkWant(e, said)
	}
	b.walkSteps(func(s *Step, _ *value) {
		switch a := s.Action.(type) {
		case *Await:
			if a.Timeline != nil {
				b.checkRow(*a.Timeline, said)
			}
		case *ExpectNow:
			for _, e := range a.Expect {
				b.checkWant(e, said)
			}
		}
	})
}

func (b *builder) checkWant(e Expectation, said corpus) {
	switch w := e.Value.(type) {
	case *Texts:
		if e.Key != "delivered" && e.Key != "lost" {
			return
		}
		for _, t := range w.List {
			b.checkSent(t.Pos, t.Text, t.Text, said)
		}
	case *Timeline:
		for _, row := range w.Rows {
			b.checkRow(row, said)
		}
	}
}

func (b *builder) checkRow(row Row, said corpus) {
	switch row.Kind {
	case "user":
		b.checkSent(row.Pos, row.Text, anyText(row.Text), said)
	case "assistant", "thought":
		if row.Text != "*" && !slices.ContainsFunc(said.other, func(s string) bool { return couldContain(s, anyText(row.Text)) }) {
			b.noText(row.Pos, "no reply says ", row.Text, said.other)
		}
	case "compaction":
		words := []string{"started", "completed", "aborted"}
		if row.Text != "*" && !slices.Contains(words, row.Text) {
			b.faultAt(row.Pos, "%s", unknown("a compaction is never "+shortQuote(row.Text), row.Text, words))
		}
	}
}

// anyText makes each * of a row's text, which stands for any text, a name that
// nobody knows.
func anyText(row string) string {
	if row == "*" {
		return row
	}
	return strings.ReplaceAll(row, "*", "${any}")
}

// checkSent wants a text to be sent as a whole, or to stand in what somebody
// else could send: a tool's arguments, a program, a rollout.
func (b *builder) checkSent(pos Pos, written, text string, said corpus) {
	whole := slices.ContainsFunc(said.sent, func(s string) bool { return couldBe(s, text) })
	if text == "*" || whole || slices.ContainsFunc(said.other, func(s string) bool { return couldContain(s, text) }) {
		return
	}
	b.noText(pos, "no step sends ", written, said.sent)
}

// noText tells that nobody says a text, where that is known: everybody was
// understood, or somebody says nearly the same.
func (b *builder) noText(pos Pos, what, text string, known []string) {
	near := nearest(text, known)
	switch {
	case near != "":
		b.faultAt(pos, "%s%s; did you mean %s?", what, shortQuote(text), shortQuote(near))
	case b.doubts.sure("step", "reply", "codex", "workspace", "agent"):
		b.faultAt(pos, "%s%s; write the text as it is sent, or * for any", what, shortQuote(text))
	}
}

func named(s string) bool { return strings.Contains(s, "${") }

// couldBe says whether two texts are one, whatever a run puts in the place of
// names.
func couldBe(said, text string) bool {
	if !named(said) && !named(text) {
		return said == text
	}
	return fits(pieces(said), text) || fits(pieces(text), said)
}

// couldContain says whether text is a part of what is said.
func couldContain(said, text string) bool {
	if !named(said) && !named(text) {
		return strings.Contains(said, text)
	}
	return inOrder(pieces(said), text) || inOrder(pieces(text), said)
}

// pieces are the parts of a text between its names.
func pieces(s string) []string {
	var list []string
	for {
		before, _, after, found := cutName(s)
		list = append(list, before)
		if !found {
			return list
		}
		s = after
	}
}

// fits says whether text is the pieces with something between them.
func fits(parts []string, text string) bool {
	last := len(parts) - 1
	return strings.HasPrefix(text, parts[0]) && strings.HasSuffix(text, parts[last]) && inOrder(parts, text)
}

// inOrder says whether the pieces stand in text in their order.
func inOrder(parts []string, text string) bool {
	for _, p := range parts {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return true
}

// corpus is every text of the file that could show up: what steps send, and
// all others. Lists of texts are in it put together as well.
type corpus struct{ sent, other []string }

func (b *builder) said() corpus {
	var c corpus
	for _, v := range b.replies {
		c.other = append(c.other, textsIn(v)...)
	}
	b.walkSteps(func(s *Step, v *value) {
		switch a := s.Action.(type) {
		case *Run:
			c.sent = append(c.sent, a.Text)
		case *Send:
			c.sent = append(c.sent, a.Text)
		case *ExpectNow, *Await, *Together, nil:
		default:
			c.other = append(c.other, textsIn(v)...)
		}
	})
	for _, name := range []string{"codex", "workspace", "agent"} {
		if v := b.tree.get(name); v != nil {
			c.other = append(c.other, textsIn(v)...)
		}
	}
	return c
}

// textsIn are all texts in a value.
func textsIn(v *value) []string {
	var texts []string
	if v.kind == isText {
		texts = append(texts, v.str)
	}
	var whole strings.Builder
	for _, item := range v.items {
		whole.WriteString(item.str)
		texts = append(texts, textsIn(item)...)
	}
	if long := v.get("repeat"); long != nil && v.get("times") != nil {
		times := min(v.get("times").num, maxSaid/int64(len(long.str)+1))
		whole.WriteString(strings.Repeat(long.str, int(max(0, times))))
	}
	for _, name := range v.names {
		texts = append(texts, textsIn(v.members[name])...)
	}
	return slices.DeleteFunc(append(texts, whole.String()), func(s string) bool { return s == "" })
}

// maxSaid bounds the texts that expectations are looked up in.
const maxSaid = 1 << 20
