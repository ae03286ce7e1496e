package plan

func approveAction() action {
	k := kind[Approve]{"approve", []key[Approve]{
		required(field("nth", positiveForm(), func(a *Approve) *int { return &a.Nth }, "the Nth request that is open")),
	}}
	return act(field("approve", trueOr(k), itself[Approve], "allows what is asked for; true: the only open request")).with(k.doc()).like("approve = true")
}

func denyAction() action {
	k := kind[Deny]{"deny", []key[Deny]{
		field("nth", positiveForm(), func(a *Deny) *int { return &a.Nth }, "the Nth request that is open"),
		field("message", textForm(), func(a *Deny) *string { return &a.Message }, "why"),
		field("interrupt", boolForm(), func(a *Deny) *bool { return &a.Interrupt }, "true: ends the turn as well"),
	}}
	return act(field("deny", trueOr(k), itself[Deny], "refuses what is asked for; true: the only open request")).with(k.doc()).like(`deny = { message = "not now" }`)
}

func answerAction() action {
	k := kind[Answer]{"answer", []key[Answer]{
		field("nth", positiveForm(), func(a *Answer) *int { return &a.Nth }, "the Nth request that is open"),
		field("answers", mapForm(oneOrMore(textForm())), func(a *Answer) *map[string][]string { return &a.Answers },
			"by question id or header; the first option of each when left out"),
	}}
	return act(field("answer", trueOr(k), itself[Answer], "answers a question; true: the only open one, with each first option")).with(k.doc()).like(`answer = { answers = { color = "blue" } }`)
}
