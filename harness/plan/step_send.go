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
		field("attached", listForm(attachmentKind().asForm()), func(a *Run) *[]Attachment { return &a.Attached }, "what else goes along: { kind = \"text\", text } for the model to read, or a skill or mention as { kind, name, path }"),
	).like(`run = "first turn"`)
}

func sendAction() action {
	return act(field("send", textForm(), func(a *Send) *string { return &a.Text },
		"sends the text and goes on at once"),
		field("behavior", wordForm(behaviors()...), func(a *Send) *string { return &a.Behavior }, "how it meets a running turn; the preset's when left out"),
		field("id", nonEmptyForm("text"), func(a *Send) *string { return &a.ID }, "client message id"),
		field("images", listForm(contentForm()), func(a *Send) *[]Content { return &a.Images }, "pictures, as { png = [width, height] }"),
		field("attached", listForm(attachmentKind().asForm()), func(a *Send) *[]Attachment { return &a.Attached }, "what else goes along: { kind = \"text\", text } for the model to read, or a skill or mention as { kind, name, path }"),
	).like(`send = "second turn"`)
}

func attachmentKind() kind[Attachment] {
	return kind[Attachment]{"an attachment", []key[Attachment]{
		required(field("kind", wordForm("text", "skill", "mention"), func(a *Attachment) *string { return &a.Kind },
			"a text is read behind the prompt's; codex is given a skill or a mention by its path")),
		field("name", nonEmptyForm("name"), func(a *Attachment) *string { return &a.Name }, "of a skill or a mention"),
		field("path", nonEmptyForm("path"), func(a *Attachment) *string { return &a.Path }, "where it is, such as ${workspace}/notes.md; without one the manager refuses the prompt"),
		field("text", textForm(), func(a *Attachment) *string { return &a.Text }, "of a text"),
	}}
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
