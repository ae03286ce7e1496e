package plan

// Expectation is one thing that must be true.
type Expectation struct {
	Pos   Pos
	Key   string // compactions, delivered …; also what known_failure names
	Agent string // "": the run, or its only agent
	Value Want
}

// Want is what an expectation wants: *Compactions, *Texts (delivered, lost,
// lifecycle, permissions, sends), *Turns, *Calls, *Requests (requests,
// attempts), *Timeline, *Errors, *Largest, *Usage, *Connections, *RolloutWant or *Budget.
type Want interface{ want() }

// Text is an element of a list, with its place.
type Text struct {
	Pos  Pos
	Text string
}

// The wants. Nil and zero members are not compared.
type (
	Compactions struct{ Started, Completed, Aborted *int }

	// Texts is a list of texts in order.
	Texts struct{ List []Text }

	// Turns is the number of turns, or how each ended.
	Turns struct {
		Count *int
		List  []Text
	}

	// Calls counts by method what codex was asked. Methods that are not named
	// are not compared.
	Calls struct{ Counts map[string]int }

	// Requests counts requests by class, or lists all of them.
	Requests struct {
		Counts []ClassCount
		List   []RequestWant // nil when Counts is set
	}
	ClassCount struct {
		Pos   Pos
		Class string
		Count int
	}
	RequestWant struct {
		Pos         Pos
		Class       string
		Attempt     int      // 0: not compared
		User        []string // the user texts, in order; nil: not compared
		Contains    []string // in the body
		Lacks       []string
		Absent      []string          // gjson paths that the body must not have
		JSON        map[string]any    // gjson path -> value, "*": present
		Header      map[string]string // "*": present
		Metadata    map[string]any    // path in the turn metadata -> value
		TurnState   *string           // "": none was sent
		Model       string
		Path        string
		Connection  int
		Incremental *bool
	}

	// Timeline is all rows.
	Timeline struct{ Rows []Row }
	// Row is a row, or any number of rows.
	Row struct {
		Pos      Pos
		AnyRows  bool   // "…"
		Kind     string // user, assistant, thought, tool, compaction, error
		Aborted  bool   // assistant (aborted): cut off and kept
		Text     string
		AnyText  bool // "*"
		AsInFile string
	}

	// Errors are the errors that the user saw.
	Errors    struct{ List []ErrorWant }
	ErrorWant struct {
		Pos   Pos
		Text  string // contained
		Retry *bool
		Code  string
	}

	// Largest bounds every request.
	Largest struct{ InputBytes int }

	// Usage has an element for each completed turn.
	Usage     struct{ Turns []UsageWant }
	UsageWant struct {
		Pos                                     Pos
		Input, Cached, Output, Reasoning, Total *int
	}

	// Connections is the number of WebSocket connections, or the number of
	// requests on each.
	Connections struct {
		Count    *int
		Requests []int
	}

	// RolloutWant looks for lines in the agent's rollout.
	RolloutWant struct{ Lines []RolloutLine }
	RolloutLine struct {
		Pos      Pos
		Type     string
		Where    map[string]any // gjson path -> value
		Contains string
		Count    *int // nil: at least one
	}

	// Budget is the most that a turn may use.
	Budget struct{ Compactions, Requests *int }
)

func (*Compactions) want() {}
func (*Texts) want()       {}
func (*Turns) want()       {}
func (*Calls) want()       {}
func (*Requests) want()    {}
func (*Timeline) want()    {}
func (*Errors) want()      {}
func (*Largest) want()     {}
func (*Usage) want()       {}
func (*Connections) want() {}
func (*RolloutWant) want() {}
func (*Budget) want()      {}

// Name is what known_failure calls the expectation: its key, or
// agent.NAME.KEY.
func (e Expectation) Name() string {
	if e.Agent == "" {
		return e.Key
	}
	return "agent." + e.Agent + "." + e.Key
}
