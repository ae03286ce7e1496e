package plan

import "time"

func awaitAction() action {
	return act(field("await", awaitKind().asForm(), itself[Await],
		"waits until all of it holds; ends at once when it no longer can")).with(awaitKind().doc()).like(`await = { held = "summary" }`)
}

func awaitKind() kind[Await] {
	return kind[Await]{"an await", []key[Await]{
		field("held", nonEmptyForm("gate"), func(a *Await) *string { return &a.Held }, "gate that something is held at now; a command counts once everything has settled"),
		field("reached", nonEmptyForm("gate"), func(a *Await) *string { return &a.Reached }, "gate that something was ever held at"),
		field("count", positiveForm(), func(a *Await) *int { return &a.Count }, "with held or reached: how many; 1 when left out"),
		field("state", wordForm("idle", "running", "error"), func(a *Await) *string { return &a.State }, "of the agent; idle: with nothing queued"),
		field("agent", nonEmptyForm("agent"), func(a *Await) *string { return &a.Agent }, "whose"),
		field("requests", countsForm(), func(a *Await) *map[string]int { return &a.Requests }, "at least so many requests of a class"),
		field("compactions", compactionsForm(), func(a *Await) **Compactions { return &a.Compactions }, "at least so many"),
		field("timeline", rowForm(), func(a *Await) **Row { return &a.Timeline }, `a row, like "user: text"`),
		field("permission", wordForm("pending"), func(a *Await) *string { return &a.Permission }, "a request for a permission is open"),
		field("within", durationForm(), func(a *Await) *time.Duration { return &a.Within }, "fails when it takes longer; else the scenario's deadline counts"),
	}}
}

func settleAction() action {
	return act(flag[Settle]("settle", "goes on once everything that can happen has happened")).like("settle = true")
}

func releaseAction() action {
	k := kind[Release]{"a release", []key[Release]{
		required(field("gate", nonEmptyForm("gate"), func(a *Release) *string { return &a.Gate }, "its name")),
		field("agent", nonEmptyForm("agent"), func(a *Release) *string { return &a.Agent }, "only what this agent waits for"),
		field("nth", positiveForm(), func(a *Release) *int { return &a.Nth }, "only the Nth that is held there"),
		field("open", boolForm(), func(a *Release) *bool { return &a.Open }, "true: nothing is held there any more"),
		field("with", releaseEndForm(), func(a *Release) *string { return &a.With }, "ends what was held instead of going on"),
	}}
	f := byKind("GATE | { gate, agent, nth, open, with }", map[valueKind]form[Release]{
		isText:  convert(nonEmptyForm("gate"), func(s string) Release { return Release{Gate: s} }),
		isTable: k.asForm(),
	})
	return act(field("release", f, itself[Release], "opens a gate for what is held there; waits until something is")).with(k.doc()).like(`release = "summary"`)
}

func releaseEndForm() form[string] {
	name := `"failed:CODE" | "cut"`
	return form[string]{name, schema{"type": "string", "pattern": "^(cut|failed:.+)$"}, func(r *reader, v *value) (string, bool) {
		if v.kind != isText || v.str != "cut" && (len(v.str) < 8 || v.str[:7] != "failed:") {
			wrong(r, v, name)
			return "", false
		}
		return v.str, true
	}}
}

func expireAction() action {
	return act(field("expire", wordForm("interrupt", "start", "close", "wait"), func(a *Expire) *string { return &a.Timer },
		"the guard of that name runs out now: the manager's, the adapter's, or (wait) that of a tool that waits for an agent")).like(`expire = "interrupt"`)
}
