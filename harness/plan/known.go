package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type knownTable struct {
	KnownFailure
	fails []Text
}

func knownKind() kind[knownTable] {
	return kind[knownTable]{"a known_failure", []key[knownTable]{
		elsewhere[knownTable]("when", "{ AXIS = value }", "variants that fail; all when left out", whenSchema()),
		required(field("issue", nonEmptyForm("reference"), func(k *knownTable) *string { return &k.Issue }, "where the fault is reported")),
		required(field("fails", listForm(placedText(nonEmptyForm("expectation"))), func(k *knownTable) *[]Text { return &k.fails },
			"exactly what fails: expectations, step.N, invariant.NAME, reply[N] (from 0; never used), gate (never released)")),
	}}
}

func (b *builder) knownFailures() []KnownFailure {
	var known []KnownFailure
	for _, v := range b.tables("known_failure") {
		k := knownTable{}
		ok := knownKind().read(&b.reader, v, &k)
		mine, codex := selects(readWhen(&b.reader, v), b.variant, b.plan.Axes)
		if !mine {
			b.failNames(k.fails, false)
			continue
		}
		if version, set := b.variant.Get("codex"); set && !anyVersion(codex, version) {
			continue
		}
		k.Pos, k.Codex, k.Fails = v.pos, codex, b.failNames(k.fails, true)
		if ok && len(k.fails) == 0 {
			b.faultAt(inner(v, "fails"), "a known failure names what fails; an empty list names nothing")
		}
		known = append(known, k.KnownFailure)
	}
	return known
}

// failNames checks the names of what fails. Those of this variant must be
// expected by it.
func (b *builder) failNames(list []Text, here bool) []string {
	var names []string
	for _, t := range list {
		if what := b.failFault(t.Text, here); what != "" {
			b.faultAt(t.Pos, "%s", what)
		}
		names = append(names, t.Text)
	}
	return names
}

func (b *builder) failFault(name string, here bool) string {
	if n, ok := strings.CutPrefix(name, "step."); ok {
		i, err := strconv.Atoi(n)
		if here && !b.doubts.all && (err != nil || i < 1 || i > len(b.plan.Steps)) {
			return fmt.Sprintf("there is no %s; the steps are step.1 to step.%d", shortQuote(name), len(b.plan.Steps))
		}
		return ""
	}
	if name == "gate" || strings.HasPrefix(name, "reply[") {
		return b.leftoverFault(name)
	}
	if n, ok := strings.CutPrefix(name, "invariant."); ok {
		if !slices.Contains(InvariantNames(), n) {
			return unknown(fmt.Sprintf("there is no invariant %s", shortQuote(n)), n, InvariantNames())
		}
		return ""
	}
	var expected []string
	for _, e := range b.plan.Expect {
		expected = append(expected, e.Name())
	}
	if here && b.doubts.sure("expect", "expect_if") && !slices.Contains(expected, name) {
		return unknown(fmt.Sprintf("%s cannot fail: nothing expects it", shortQuote(name)), name, expected)
	}
	return ""
}

// leftoverFault checks the name of a reply that is never used.
func (b *builder) leftoverFault(name string) string {
	i, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "reply["), "]"))
	if name != "gate" && !b.doubts.all && (err != nil || i < 0 || i >= len(b.replies)) {
		return fmt.Sprintf("there is no %s; the replies are reply[0] to reply[%d]", shortQuote(name), len(b.replies)-1)
	}
	return ""
}
