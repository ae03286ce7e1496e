package report

import "time"

// Run is what became of all variants that were to be played.
type Run struct {
	Results     []Result
	Elapsed     time.Duration // by the wall clock; the results' durations may overlap
	Interrupted bool          // ended by Ctrl-C: Results has what was finished
}

// Counts counts results by verdict, and how many times one was played again.
type Counts struct {
	Pass, Fail, KnownFailure, UnexpectedPass, Skip, Error int

	Spoilt int
}

// Counts counts the results.
func (r Run) Counts() Counts {
	var c Counts
	for _, res := range r.Results {
		c.Spoilt += res.Spoilt
		switch res.Verdict {
		case Pass:
			c.Pass++
		case Fail:
			c.Fail++
		case KnownFailure:
			c.KnownFailure++
		case UnexpectedPass:
			c.UnexpectedPass++
		case Skip:
			c.Skip++
		default: // an unknown verdict must not look like a success
			c.Error++
		}
	}
	return c
}

// Bad counts what makes the run fail.
func (c Counts) Bad() int { return c.Fail + c.UnexpectedPass + c.Error }

// The exit codes of the command.
const (
	ExitOK          = 0
	ExitBad         = 1   // a fail, an unexpected pass or an error
	ExitUsage       = 2   // a bad file or bad usage
	ExitLacking     = 3   // this machine lacks something
	ExitInterrupted = 130 // Ctrl-C
)

// ExitCode is the exit code that the results ask for. With noSkip a skipped
// variant is something that this machine lacks.
func (r Run) ExitCode(noSkip bool) int {
	c := r.Counts()
	code := ExitOK
	if c.Bad() > 0 {
		code = ExitBad
	}
	if noSkip && c.Skip > 0 {
		code = FirstExit(code, ExitLacking)
	}
	if r.Interrupted {
		code = FirstExit(code, ExitInterrupted)
	}
	return code
}

// FirstExit gives the one of several exit codes that counts: the first of 130,
// 2, 3, 1 and 0.
func FirstExit(codes ...int) int {
	for _, first := range []int{ExitInterrupted, ExitUsage, ExitLacking, ExitBad} {
		for _, code := range codes {
			if code == first {
				return code
			}
		}
	}
	return ExitOK
}
