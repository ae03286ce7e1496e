package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/heldstream/heldstream/harness/golden"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// goldenFile is where a variant's golden is, for the usual codex version or for
// the one named.
func goldenFile(p *plan.Plan, version string) string {
	var axes []golden.Axis
	for _, a := range variant(p.Variant) {
		axes = append(axes, golden.Axis(a))
	}
	return goldenPath(p.File, axes, version)
}

// CheckGolden compares what a run did with its golden, and lets a difference
// fail the result. A run that failed already has nothing to compare.
func CheckGolden(p *plan.Plan, out Outcome) report.Result {
	res := out.Result
	if out.other { // a golden is what its own manager did
		return res
	}
	if res.Verdict != report.Pass && res.Verdict != report.KnownFailure {
		return res
	}
	file, want, err := findGolden(p, out.Golden.Version)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		res.Golden = report.GoldenMissing
		if inLibrary(p.File) {
			return failGolden(res, file, "a golden", "there is none; `"+updating(p)+"` writes it")
		}
	case err != nil:
		return failGolden(res, file, "a golden in canonical form", err.Error())
	case want.Version != out.Golden.Version:
		res.Golden = report.GoldenOtherVersion
	default:
		res.Golden = report.GoldenCompared
		if d := golden.Compare(want, out.Golden); !d.Empty() {
			res = failGolden(res, file, "the run that the golden tells of", "another one; `"+updating(p)+"` approves it")
			res.Failures[len(res.Failures)-1].Detail = d.String()
		}
	}
	return res
}

// updating is the command that records a plan's scenario, as a shell takes it.
func updating(p *plan.Plan, flags ...string) string {
	return report.ShellWords(append(append([]string{"replay", "update"}, flags...), p.File))
}

// findGolden reads the golden of this codex version if there is one, else that
// of the usual version. The file name is the usual one's when there is none.
func findGolden(p *plan.Plan, version string) (string, golden.File, error) {
	for _, file := range []string{goldenFile(p, version), goldenFile(p, "")} {
		f, err := readGolden(file)
		if !errors.Is(err, fs.ErrNotExist) {
			return file, f, err
		}
	}
	return goldenFile(p, ""), golden.File{}, fs.ErrNotExist
}

func readGolden(file string) (golden.File, error) {
	in, err := os.Open(file)
	if err != nil {
		return golden.File{}, err
	}
	defer func() { _ = in.Close() }() // it was only read
	return golden.Read(in)
}

func failGolden(res report.Result, file, want, got string) report.Result {
	res.Verdict = report.Fail
	res.Failures = append(res.Failures, report.Failure{File: file, What: "golden", Want: want, Got: got})
	return res
}

// UpdateGolden writes what a run did as its golden: in place of the usual
// version's, or beside it for another. It returns what changed, "" for nothing.
func UpdateGolden(p *plan.Plan, out Outcome, usual string) (string, error) {
	version := ""
	if out.Golden.Version != usual {
		version = out.Golden.Version
	}
	file := goldenFile(p, version)
	old, err := readGolden(file)
	changed, werr := golden.Update(file, out.Golden)
	switch {
	case werr != nil:
		return "", werr
	case !changed:
		return "", nil
	case err != nil:
		return fmt.Sprintf("%s: new\n", file), nil
	}
	return fmt.Sprintf("%s: changed\n%s", file, golden.Compare(old, out.Golden).Full()), nil
}
