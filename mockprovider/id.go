package mockprovider

import "strconv"

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
	used   []used
}

// used says how often a prefix was given out.
type used struct {
	prefix string
	n      int
}

// letters tell the classes apart; a turn has none.
var letters = map[Class]string{
	CompactionInline: "c", CompactionV1: "co", CompactionV2: "cr",
	Prewarm: "p", Review: "v", Guardian: "g", Subagent: "s", Models: "m", Side: "x", Unknown: "x",
}

// next gives the next id with this prefix.
func (i *ids) next(prefix string) string {
	var room [48]byte
	b := append(append(room[:0], prefix...), '_')
	if i.thread > 1 {
		b = strconv.AppendInt(append(b, 't'), int64(i.thread), 10)
		if i.class == Turn {
			b = append(b, 'n') // else t21 could be turn 1 of thread 2 or a thread 21
		}
	}
	b = strconv.AppendInt(append(b, letters[i.class]...), int64(i.n), 10)
	if i.try > 1 {
		b = strconv.AppendInt(append(b, 'r'), int64(i.try), 10)
	}
	if k := i.count(prefix); k > 1 {
		b = strconv.AppendInt(append(b, '_'), int64(k), 10)
	}
	return string(b)
}

// count counts the uses of a prefix. A response has few.
func (i *ids) count(prefix string) int {
	for k := range i.used {
		if u := &i.used[k]; u.prefix == prefix {
			u.n++
			return u.n
		}
	}
	i.used = append(i.used, used{prefix, 1})
	return 1
}
