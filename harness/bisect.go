package harness

import (
	"errors"
	"fmt"
)

// ErrNoBinary is what a probe of Bisect returns for a version that cannot be
// played here.
var ErrNoBinary = errors.New("no binary")

// Bisection is where an outcome changed: Last still had the first version's,
// First has the last version's. Skipped lie between and could not be played, so
// that the change may be at any of them.
type Bisection struct {
	Last, First string
	Skipped     []string
	Probed      int
}

// Bisect finds the version at which an outcome changed. versions are in order;
// probe returns what a version comes to, and ErrNoBinary for one that cannot be
// played. It asks for the ends first; they must differ.
func Bisect(versions []string, probe func(version string) (string, error)) (Bisection, error) {
	b := bisector{versions: versions, probe: probe, outcomes: map[int]string{}, skipped: map[int]bool{}}
	if len(versions) < 2 {
		return Bisection{}, errors.New("there is no version between the two; name an older --good or a newer --bad")
	}
	lo, hi := 0, len(versions)-1
	for _, end := range []int{lo, hi} {
		if err := b.ask(end); err != nil {
			return Bisection{}, fmt.Errorf("%s: %w", versions[end], err)
		}
	}
	good := b.outcomes[lo]
	if good == b.outcomes[hi] {
		return Bisection{}, fmt.Errorf("%s and %s come to the same: %s", versions[lo], versions[hi], good)
	}
	for {
		mid, ok := b.between(lo, hi)
		if !ok {
			return b.result(lo, hi), nil
		}
		err := b.ask(mid)
		switch {
		case errors.Is(err, ErrNoBinary):
			b.skipped[mid] = true
		case err != nil:
			return Bisection{}, fmt.Errorf("%s: %w", versions[mid], err)
		case b.outcomes[mid] == good:
			lo = mid
		default:
			hi = mid
		}
	}
}

type bisector struct {
	versions []string
	probe    func(string) (string, error)
	outcomes map[int]string
	skipped  map[int]bool
	probed   int
}

func (b *bisector) ask(i int) error {
	b.probed++
	outcome, err := b.probe(b.versions[i])
	b.outcomes[i] = outcome
	return err
}

// between returns the version nearest to the middle that is not known to be
// without a binary.
func (b *bisector) between(lo, hi int) (int, bool) {
	mid := (lo + hi) / 2
	for off := range hi - lo {
		for _, i := range []int{mid - off, mid + off} {
			if i > lo && i < hi && !b.skipped[i] {
				return i, true
			}
		}
	}
	return 0, false
}

func (b *bisector) result(lo, hi int) Bisection {
	r := Bisection{Last: b.versions[lo], First: b.versions[hi], Probed: b.probed}
	for i := lo + 1; i < hi; i++ {
		r.Skipped = append(r.Skipped, b.versions[i])
	}
	return r
}
