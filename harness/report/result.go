package report

import "time"

// Verdict is what a played variant came to.
type Verdict string

// The verdicts. Pass, KnownFailure and Skip are as expected.
const (
	Pass           Verdict = "pass"
	Fail           Verdict = "fail"
	KnownFailure   Verdict = "known_failure"   // failed exactly as its known_failure block says
	UnexpectedPass Verdict = "unexpected_pass" // a known failure that did not fail
	Skip           Verdict = "skip"
	Error          Verdict = "error" // no verdict could be taken
)

// Bad reports whether the verdict makes a run fail.
func (v Verdict) Bad() bool {
	return v == Fail || v == UnexpectedPass || v == Error
}

// Result is what became of one variant of one scenario. The zero values of all
// but Scenario and Verdict are allowed and left out of the reports.
type Result struct {
	Scenario string // name in its library: compaction/issue-5728
	About    string // what it shows, in a sentence
	File     string // path of the scenario file as the user typed it
	Variant  Variant
	Verdict  Verdict
	Reason   string // skip, error: why, and the cure
	Codex    Codex
	Manager  string // the command of the manager that was played in place of the scenario's; mostly empty
	Duration time.Duration

	Sends     []string       // what each gave
	Turns     []string       // how each ended
	Lifecycle []string       // the states since the first send
	Calls     map[string]int // of codex, by method

	Compactions Compactions
	Requests    map[string]int // by request class; attempts are not counted
	Delivered   []string
	Lost        []string

	Failures  []Failure // those that follow from another one last
	NotPlayed string    // which steps were not played, and why; mostly empty
	Known     *Known    // the known_failure block that selects this variant
	Timeline  []Row     // as it happened
	Spoilt    int       // how often the run was spoilt by codex and played again
	Notes     []string
	Golden    Golden
	Command   string // plays only this variant; empty: made from File, Variant and Codex
}

// Codex says which codex was played.
type Codex struct {
	Mode    string `json:"mode"` // live or tape
	Version string `json:"version"`
}

// Compactions counts compactions; attempts of one are not counted.
type Compactions struct {
	Started   int `json:"started"`
	Completed int `json:"completed"`
	Aborted   int `json:"aborted"`
}

// Failure is one thing that is not as it must be. Want and Got are one line
// each, or a list of one entry a line (see [Lines]); writers align lists.
type Failure struct {
	File string `json:"file"`
	Line int    `json:"line"` // 0: no place in the file
	What string `json:"what"` // as known_failure.fails names it: compactions, step.3, invariant.frames
	Want string `json:"want"`
	Got  string `json:"got"`
	// Follows is the step whose failure kept later steps from being played, where
	// those could have made good what failed here: step.4.
	Follows string `json:"follows,omitempty"`
	Detail  string `json:"detail,omitempty"` // free lines: why it cannot be met, a stderr tail, a golden's diff
}

// Known is the known_failure block that a variant is judged by.
type Known struct {
	Issue string   `json:"issue"`
	Fails []string `json:"fails"` // exactly these must fail
}

// Row is one row of the timeline as it happened.
type Row struct {
	Agent string `json:"agent,omitempty"`
	Text  string `json:"text"`           // kind: text
	Mark  string `json:"mark,omitempty"` // set on the row where something failed: what did; unset: the reports find it
}

// Golden says what the golden of a variant was used for.
type Golden string

// Whether a golden took part in the verdict.
const (
	GoldenNone         Golden = ""              // goldens are not looked at in this run
	GoldenCompared     Golden = "compared"      // a difference is a Failure named golden
	GoldenMissing      Golden = "missing"       // there is none
	GoldenOtherVersion Golden = "other version" // it is for another codex, so it was not compared
)
