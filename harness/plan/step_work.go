package plan

func execAction() action {
	f := byKind("text | list of texts", map[valueKind]form[[]string]{
		isText:  convert(nonEmptyForm("command"), func(s string) []string { return []string{"sh", "-c", s} }),
		isArray: listForm(textForm()),
	})
	return act(field("exec", f, func(a *Exec) *[]string { return &a.Command }, "runs a command in the workspace: a line for sh, or a program and its arguments"),
		field("exit", countForm(), func(a *Exec) *int { return &a.Exit }, "the exit code that it must have; 0 when left out")).like(`exec = "git init -q"`)
}

func writeAction() action {
	k := kind[Write]{"a write", []key[Write]{
		required(field("file", pathForm(), func(a *Write) *string { return &a.File }, "path in the workspace")),
		field("text", textForm(), func(a *Write) *string { return &a.Content.Text }, "what it holds"),
		field("png", pngForm(), func(a *Write) **[2]int { return &a.Content.PNG }, "a picture of [width, height] instead"),
	}}
	return act(field("write", k.asForm(), itself[Write], "writes a file of the workspace")).with(k.doc()).like(`write = { file = "notes.txt", text = "some text" }`)
}

func editAction() action {
	k := kind[Edit]{"an edit", []key[Edit]{
		field("file", pathForm(), func(a *Edit) *string { return &a.File }, "path in the workspace"),
		field("rollout", trueForm(), func(a *Edit) *bool { return &a.Rollout }, "the agent's rollout instead of a file"),
		field("line", positiveForm(), func(a *Edit) *int { return &a.Line }, "number of the line"),
		field("find", textForm(), func(a *Edit) *string { return &a.Find }, "the first line that contains it, and the part that is replaced"),
		field("put", textForm(), func(a *Edit) *string { return &a.Put }, "stands instead of what was found, or of the whole line"),
		field("delete", boolForm(), func(a *Edit) *bool { return &a.Delete }, "true: the line goes"),
	}}
	f := k.asForm()
	read := f.read
	f.read = func(r *reader, v *value) (Edit, bool) {
		e, ok := read(r, v)
		return e, ok && editIsWhole(r, v, e)
	}
	return act(field("edit", f, itself[Edit], "changes one line of a file of the workspace, or of the rollout")).with(k.doc()).like(`edit = { file = "notes.txt", find = "some", put = "other" }`)
}

func editIsWhole(r *reader, v *value, e Edit) bool {
	switch {
	case (e.File == "") != e.Rollout:
		r.fault(v, `an edit changes a file or the rollout; give file = "…" or rollout = true`)
	case e.Line == 0 && e.Find == "":
		r.fault(v, `an edit must know its line; give line = N or find = "…"`)
	case e.Delete == (v.members["put"] != nil):
		r.fault(v, `an edit puts or deletes; give put = "…" or delete = true`)
	default:
		return true
	}
	return false
}

func togetherAction() action {
	f := form[[]Step]{"list of steps", schema{"type": "array", "items": ref("step")}, readTogether}
	return act(field("together", f, func(a *Together) *[]Step { return &a.Steps }, "issues steps in the order written, none waiting for another")).like(`together = [{ send = "a" }, { interrupt = true }]`)
}

func readTogether(r *reader, v *value) ([]Step, bool) {
	if v.kind != isArray || len(v.items) < 2 {
		wrong(r, v, `a list of at least two steps, like [{ send = "a" }, { send = "b" }]`)
		return nil, false
	}
	var steps []Step
	all := actions()
	for i, item := range v.items {
		s, ok := readStep(r, item, all)
		if !ok {
			continue
		}
		if waits(s.Action, all) {
			r.fault(item, "%s waits, so it cannot stand in together; make it a step of its own", s.Action.Name())
		}
		s.Index = i + 1
		steps = append(steps, s)
	}
	return steps, len(steps) == len(v.items)
}

func waits(a Action, all []action) bool {
	for _, k := range all {
		if k.name == a.Name() {
			return k.waits
		}
	}
	return false
}

func expectAction() action {
	f := form[[]Expectation]{"table of expectations", ref("expect"), func(r *reader, v *value) ([]Expectation, bool) {
		before := len(r.faults)
		list := readExpect(r, v)
		return list, len(r.faults) == before
	}}
	return act(field("expect", f, func(a *ExpectNow) *[]Expectation { return &a.Expect }, "must be true now; see `replay help expect`")).like("expect = { turns = 1 }")
}
