package plan_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/mockprovider"
)

const libraryHead = "# The library\n\n" +
	"Every scenario that can be played, by area, with the transports, compactions and faults that its variants have. " +
	"The scenarios of `failing/` are left out: they fail, to show how that is told.\n\n"

// library lists the scenarios of a folder by area.
func library(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.toml"))
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString(libraryHead)
	area := ""
	for _, file := range files {
		in := filepath.Base(filepath.Dir(file))
		if in == "failing" {
			continue
		}
		plans := plansOf(t, file)
		if plans[0].IsScript() {
			continue
		}
		if in != area {
			area = in
			fmt.Fprintf(&b, "## %s\n\n| scenario | what it shows | variants | transport | compaction | faults |\n|---|---|---|---|---|---|\n", area)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".toml")
		fmt.Fprintf(&b, "| [%s](%s/%s.toml) | %s | %d | %s | %s | %s |\n", name, area, name, strings.ReplaceAll(plans[0].About, "|", `\|`), len(plans),
			all(plans, transports), all(plans, compactions), all(plans, faults))
		if next := slices.Index(files, file) + 1; next == len(files) || filepath.Base(filepath.Dir(files[next])) != area {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func plansOf(t *testing.T, file string) []*plan.Plan {
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	f, wrong := plan.Parse(file, data, os.DirFS(filepath.Dir(file)))
	require.Empty(t, wrong.Errors(), file)
	plans, wrong := f.Variants(plan.Options{})
	require.Empty(t, wrong, file)
	return plans
}

// all are the different words that the plans have, in order of the first.
func all(plans []*plan.Plan, words func(*plan.Plan) []string) string {
	var out []string
	for _, p := range plans {
		for _, w := range words(p) {
			if !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return strings.Join(out, ", ")
}

func transports(p *plan.Plan) []string { return []string{p.Axes.Transport} }

// compactions is the kind that the plan's codex asks for, if a reply answers one.
func compactions(p *plan.Plan) []string {
	for _, r := range p.Script.Replies {
		if strings.HasPrefix(string(r.To), string(mockprovider.AnyCompaction)) {
			return []string{p.Axes.Compaction}
		}
	}
	return nil
}

func faults(p *plan.Plan) []string {
	var out []string
	for _, r := range p.Script.Replies {
		for _, try := range append([]mockprovider.Reply{r}, r.Attempts...) {
			out = append(out, replyFaults(try)...)
		}
	}
	if p.Provider.IdleTimeout > 0 {
		out = append(out, "silence")
	}
	if up := p.Script.Upgrade; up != nil {
		out = append(out, "upgrade "+cmp.Or(up.How, status(up.Status), "headers"))
	}
	for _, w := range p.Wire {
		out = append(out, wireFault(w))
	}
	for _, s := range p.Steps {
		if n := s.Action.Name(); n == "kill" || n == "expire" {
			out = append(out, n)
		}
	}
	return out
}

func replyFaults(r mockprovider.Reply) (out []string) {
	if r.Status >= 300 {
		out = append(out, status(r.Status))
	}
	if r.End != "" && r.End != "completed" {
		out = append(out, strings.TrimPrefix(r.End, "failed:"))
	}
	if r.Cut != nil {
		out = append(out, cmp.Or(r.Cut.How, "close"))
	}
	if r.Malformed {
		out = append(out, "malformed")
	}
	return out
}

func wireFault(w plan.WireRule) string {
	switch {
	case w.Drop:
		return "wire drop"
	case w.Error != nil:
		return "wire error"
	case w.Exit:
		return "wire exit"
	case w.Repeat != nil:
		return "wire repeat"
	}
	return "wire order"
}

func status(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
