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
	own  string // what all ids of the response have after their prefix
	used []used
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

// newIDs are those of the answer to a request: the n-th of its class, in the
// thread with this ordinal at its agent.
func newIDs(thread int, class Class, n, try int) ids {
	var b []byte
	if thread > 1 {
		b = strconv.AppendInt(append(b, 't'), int64(thread), 10)
		if class == Turn {
			b = append(b, 'n') // else t21 could be turn 1 of thread 2 or a thread 21
		}
	}
	b = strconv.AppendInt(append(b, letters[class]...), int64(n), 10)
	if try > 1 {
		b = strconv.AppendInt(append(b, 'r'), int64(try), 10)
	}
	return ids{own: string(b)}
}

// response is the id of the response itself.
func (i *ids) response() string { return "resp_" + i.own }

// next gives the next id with this prefix.
func (i *ids) next(prefix string) string {
	if k := i.count(prefix); k > 1 {
		return prefix + "_" + i.own + "_" + strconv.Itoa(k)
	}
	return prefix + "_" + i.own
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
