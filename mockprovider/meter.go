package mockprovider

import "github.com/heldstream/heldstream/mockprovider/responses"

// growth is how far a thread's context has grown since it began or was
// compacted.
type growth struct {
	turns int
	turn  string
}

// usage is what a request reports: what its reply says, the meter, or 100.
func (st *state) usage(sc *Script, x *exchange) *responses.Usage {
	if x.reply != nil && x.reply.Tokens != nil {
		return x.reply.Tokens.usage()
	}
	total := 100
	if sc.Meter != nil {
		total = st.metered(sc.Meter, x)
	}
	return (&Tokens{Input: total}).usage()
}

// metered: a request of the turn that was counted last reports the same. A
// compaction begins anew with the turn that follows it.
func (st *state) metered(m *Meter, x *exchange) int {
	key := [2]string{x.Agent, x.Thread}
	g := st.contexts[key]
	if g == nil {
		g = &growth{}
		st.contexts[key] = g
	}
	if x.Class.isCompaction() && !x.failing {
		defer func() { *g = growth{} }()
	}
	if x.Class == Turn && x.Try == 1 && (g.turns == 0 || x.TurnID == "" || x.TurnID != g.turn) {
		g.turns, g.turn = g.turns+1, x.TurnID
	}
	return m.Start + m.PerTurn*max(0, g.turns-1)
}

func (t *Tokens) usage() *responses.Usage {
	if t.Omitted {
		return nil
	}
	return &responses.Usage{
		InputTokens: t.Input, InputTokensDetails: responses.InputDetails{CachedTokens: t.Cached},
		OutputTokens: t.Output, OutputTokensDetails: responses.OutputDetails{ReasoningTokens: t.Reasoning},
		TotalTokens: or(t.Total, t.Input+t.Output),
	}
}
