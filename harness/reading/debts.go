package reading

import (
	"cmp"
	"maps"
	"slices"
)

// debts are effects of things already accepted that have not shown yet.
type debts map[debt]owing

type debt struct{ what, of string }

type owing struct {
	request int // whose bytes it comes of; 0: a call
	times   int
}

func (d debts) add(what, of string) { d[debt{what, of}] = owing{times: 1} }

// addFor books an effect of bytes that were written; it can be owed more than
// once, as each delta is.
func (d debts) addFor(request int, what, of string) {
	k := debt{what, of}
	d[k] = owing{request, d[k].times + 1}
}

func (d debts) settle(what, of string) {
	k := debt{what, of}
	o := d[k]
	if o.times--; o.times > 0 {
		d[k] = o
		return
	}
	delete(d, k)
}

// forgive settles an effect however often it is owed.
func (d debts) forgive(what, of string) { delete(d, debt{what, of}) }

// drop forgets what the bytes of a request owed: its stream is over.
func (d debts) drop(request int) {
	maps.DeleteFunc(d, func(_ debt, o owing) bool { return o.request == request })
}

func (d debts) first() (debt, bool) {
	if len(d) == 0 {
		return debt{}, false
	}
	return slices.MinFunc(slices.Collect(maps.Keys(d)), func(x, y debt) int {
		return cmp.Or(cmp.Compare(x.what, y.what), cmp.Compare(x.of, y.of))
	}), true
}
