package mockprovider

import (
	"strconv"
	"strings"
)

// ids makes the ids of one response. They are the same in every run, and no
// two responses of an agent share one, whatever their threads and classes: a
// client may put items of several into one history. The form is
//
//	PREFIX_[tTHREAD]CLASS N [rTRY] [_ITEM]
//
// without the spaces: msg_3 is the message of the third turn request of the
// agent's first thread, msg_t2c1r2 that of the second try of the first
// compaction of its second thread. Codex keeps ids of this form when it sends
// items back.
type ids struct {
	thread int // ordinal of the thread at its agent
	class  Class
	n, try int
	used   map[string]int
}

// letters tell the classes apart; a turn has none.
var letters = map[Class]string{
	CompactionInline: "c", CompactionV1: "co", CompactionV2: "cr",
	Prewarm: "p", Review: "v", Guardian: "g", Subagent: "s", Models: "m", Side: "x", Unknown: "x",
}

// next gives the next id with this prefix.
func (i *ids) next(prefix string) string {
	var b strings.Builder
	b.WriteString(prefix + "_")
	if i.thread > 1 {
		b.WriteString("t" + strconv.Itoa(i.thread))
		if i.class == Turn {
			b.WriteByte('n') // else t21 could be turn 1 of thread 2 or a thread 21
		}
	}
	b.WriteString(letters[i.class] + strconv.Itoa(i.n))
	if i.try > 1 {
		b.WriteString("r" + strconv.Itoa(i.try))
	}
	if i.used == nil {
		i.used = map[string]int{}
	}
	i.used[prefix]++
	if k := i.used[prefix]; k > 1 {
		b.WriteString("_" + strconv.Itoa(k))
	}
	return b.String()
}
