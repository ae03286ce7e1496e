package plan

func (b *builder) check() {}
