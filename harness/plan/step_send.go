package plan

// behaviors are how a send meets a running turn; presets of the manager have
// the same names.
func behaviors() []string { return []string{"replace", "steer-no-wait", "steer", "queue"} }

func runAction() action {
	return act(field("run", textForm(), func(a *Run) *string { return &a.Text },
		"sends the text and waits until its turn has ended"),
		field("ends", wordForm("completed", "interrupted", "failed"), func(a *Run) *string { return &a.Ends },
			"how the turn must end; completed when left out"),
		field("error", textForm(), func(a *Run) *string { return &a.Error }, "contained in the turn's error"),
		field("behavior", wordForm(behaviors()...), func(a *Run) *string { return &a.Behavior }, "how it meets a running turn; the preset's when left out"),
		field("id", nonEmptyForm("text"), func(a *Run) *string { return &a.ID }, "client message id"),
		field("images", listForm(contentForm()), func(a *Run) *[]Content { return &a.Images }, "pictures, as { png = [width, height] }"),
	).like(`run = "first turn"`)
}

func sendAction() action {
	return act(field("send", textForm(), func(a *Send) *string { return &a.Text },
		"sends the text and goes on at once"),
		field("behavior", wordForm(behaviors()...), func(a *Send) *string { return &a.Behavior }, "how it meets a running turn; the preset's when left out"),
		field("id", nonEmptyForm("text"), func(a *Send) *string { return &a.ID }, "client message id"),
		field("images", listForm(contentForm()), func(a *Send) *[]Content { return &a.Images }, "pictures, as { png = [width, height] }"),
	).like(`send = "second turn"`)
}

func interruptAction() action {
	return act(flag[Interrupt]("interrupt", "interrupts whatever turn is running or starting")).like("interrupt = true")
}

func compactAction() action {
	return act(flag[Compact]("compact", "asks for a manual compaction")).like("compact = true")
}

// flag is the key of an action that takes true.
func flag[A any](name, use string) key[A] {
	return field(name, convert(trueForm(), func(bool) A { var a A; return a }), itself[A], use)
}
