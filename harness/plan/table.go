package plan

// tableDoc describes a kind of table to people. It is made from the same keys
// that read the table.
type tableDoc struct {
	name string // as messages call it
	keys []keyDoc
}

type keyDoc struct {
	name, form, use string
	must            bool
}

func (k kind[T]) doc() tableDoc {
	d := tableDoc{name: k.name}
	for _, key := range k.keys {
		d.keys = append(d.keys, keyDoc{key.name, key.form, key.use, key.must})
	}
	return d
}

func (a action) doc() tableDoc {
	d := tableDoc{name: a.name, keys: []keyDoc{{a.name, a.form, a.use, false}}}
	for _, k := range a.inner {
		k.name = "  " + k.name
		d.keys = append(d.keys, k)
	}
	for _, b := range a.beside {
		d.keys = append(d.keys, keyDoc{b.name, b.form, b.use, false})
	}
	return d
}
