package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/internal/codexbin"
)

// finder finds a variant's codex: the usual one, the one of another version that
// a scenario asks for, or a tape. Only auto takes tapes in place of a binary, and
// then says what is missing.
func (f *flags) finder(st *codexbin.Store) (find func(string) (harness.Codex, error), missing *codexbin.NotFound, err error) {
	if v, ok := strings.CutPrefix(f.codex, "tape@"); ok && versionIn(f.codex) == "" {
		return nil, nil, fmt.Errorf("--codex tape@%s: name a version, such as tape@%s, or write tape", v, codexbin.Default)
	}
	if f.codex == "tape" || strings.HasPrefix(f.codex, "tape@") {
		return fromTape(versionIn(f.codex)), nil, nil
	}
	usual, err := st.Find(f.codex)
	if auto := f.codex == "" || f.codex == "auto"; auto && errors.As(err, &missing) {
		return fromTape(""), missing, nil
	}
	return harness.Finder(st, usual), nil, err
}

func fromTape(version string) func(string) (harness.Codex, error) {
	return func(asked string) (harness.Codex, error) {
		if asked == "" {
			asked = version
		}
		return harness.Codex{Mode: "tape", Version: asked}, nil
	}
}

// instead says what is played in place of the binary that is missing: tapes, and
// what needs none. It is an error when there is neither; nobody else's manager plays
// tapes.
func (f *flags) instead(s streams, missing *codexbin.NotFound, plans []*plan.Plan) error {
	if missing == nil {
		return nil
	}
	taped := f.manager == "" && slices.ContainsFunc(plans, func(p *plan.Plan) bool { return harness.HasTape(p, codexbin.Default) })
	without := slices.ContainsFunc(plans, func(p *plan.Plan) bool { return !harness.NeedsCodex(p) })
	what := "playing from tapes"
	switch {
	case !slices.ContainsFunc(plans, harness.NeedsCodex):
		return nil
	case !taped && !without:
		return missing
	case !taped:
		what = "what needs it is skipped"
	}
	fmt.Fprintf(s.err, "no codex on this machine (`%s` brings it): %s\n", missing.Command(), what)
	return nil
}
