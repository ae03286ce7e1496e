package plan

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// This file and toml_value.go are the only ones that know the TOML parser. It makes a tree of values
// that all have a place. After a syntax fault it goes on at the next header,
// so that one slip does not hide what is wrong below it.

type treeReader struct {
	file   string
	data   []byte
	lines  []int // offset of each line
	parser unstable.Parser
	base   int // offset in data of what the parser was given
	unread int // offset of the first line that no key or header begins in which was read whole
	faults Faults
}

// readTree returns the root table. It is never nil.
func readTree(file string, data []byte) (*value, Faults) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // some editors put a mark there
	t := &treeReader{file: file, data: data, lines: lineStarts(data)}
	root := newTable(Pos{file, 1, 1})
	t.read(root, 0)
	return root, t.faults
}

func lineStarts(data []byte) []int {
	starts := []int{0}
	for i, b := range data {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func (t *treeReader) read(root *value, from int) {
	table := root
	for from >= 0 {
		t.base, t.unread = from, from
		t.parser.Reset(t.data[from:])
		for t.parser.NextExpression() {
			table = t.expression(root, table, t.parser.Expression())
		}
		from = t.recover(root, table)
	}
}

// recover reports the parser's fault and returns where to go on, or -1.
func (t *treeReader) recover(root, table *value) int {
	err := t.parser.Error()
	if err == nil {
		return -1
	}
	at := len(t.data)
	var syntax *unstable.ParserError
	if errors.As(err, &syntax) {
		at = t.base + int(t.parser.Range(syntax.Highlight).Offset)
	}
	if bytes.HasPrefix(bytes.TrimLeft(t.line(t.pos(at).Line-1), " \t"), []byte("[")) {
		table = root // a header is lost, and nobody knows whose keys follow
	}
	table.broken = true
	if start, open := t.unclosed(at); open {
		t.faultf(t.pos(start), "this is not TOML: the value that begins here is not closed by line %d; close its brackets or quotes", t.pos(at).Line)
		at = start
	} else {
		t.faultf(t.pos(at), "this is not TOML: %s", cureSyntax(err.Error()))
	}
	next := bytes.Index(t.data[at:], []byte("\n["))
	if next < 0 {
		return -1
	}
	return at + next + 1
}

// cureSyntax adds a cure to the parser's most frequent complaints.
func cureSyntax(message string) string {
	switch {
	case strings.Contains(message, "U+201"), strings.Contains(message, "U+00E2"):
		return message + "; texts stand in straight quotes, \"like this\""
	case strings.Contains(message, "at start of value"), strings.Contains(message, "expected keyword"):
		return message + "; texts stand in quotes"
	case strings.Contains(message, "new lines"):
		return message + "; close the quotes"
	case strings.Contains(message, "incomplete"), strings.Contains(message, "not terminated"), strings.Contains(message, "end of input"):
		return message + "; close it"
	case strings.Contains(message, "expected '='"):
		return message + "; write KEY = VALUE"
	}
	return message + "; mend this line"
}

func (t *treeReader) faultf(pos Pos, format string, args ...any) {
	t.faults = append(t.faults, Fault{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

func (t *treeReader) pos(offset int) Pos {
	lo, hi := 0, len(t.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; t.lines[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return Pos{t.file, lo + 1, offset - t.lines[lo] + 1}
}

func (t *treeReader) at(n *unstable.Node) Pos { return t.pos(t.base + int(n.Raw.Offset)) }

// expression puts one line of the file into the tree and returns the table
// that following keys belong to.
func (t *treeReader) expression(root, table *value, n *unstable.Node) *value {
	switch n.Kind {
	case unstable.Table, unstable.ArrayTable:
		return t.header(root, n)
	case unstable.KeyValue:
		t.keyValue(table, n)
	}
	return table
}

func keyParts(n *unstable.Node) []*unstable.Node {
	var parts []*unstable.Node
	for it := n.Key(); it.Next(); {
		parts = append(parts, it.Node())
	}
	return parts
}

func (t *treeReader) header(root *value, n *unstable.Node) *value {
	parts := keyParts(n)
	start := t.base + int(parts[0].Raw.Offset)
	for start > 0 && strings.IndexByte("[ \t", t.data[start-1]) >= 0 {
		start--
	}
	t.wasRead(start)
	pos, names := t.pos(start), namesOf(parts)
	list, ok := t.mendHeader(root, names, n.Kind == unstable.ArrayTable, pos)
	if !ok {
		return newTable(pos)
	}
	table := root
	for _, name := range names[:len(names)-1] {
		table = t.descend(table, name, pos)
	}
	last := names[len(names)-1]
	if list {
		return t.appendTable(table, last, pos)
	}
	into := t.descend(table, last, pos)
	if into.headed || into.sealed {
		t.faultf(pos, "table %q is here a second time; put the keys into one", last)
	}
	into.headed, into.pos = true, pos
	return into
}

func namesOf(parts []*unstable.Node) []string {
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = string(p.Data)
	}
	return list
}

func (t *treeReader) appendTable(parent *value, name string, pos Pos) *value {
	list := parent.members[name]
	if list == nil {
		list = &value{kind: isArray, pos: pos, key: pos}
		parent.put(name, list)
	}
	item := newTable(pos)
	item.headed = true
	if list.kind != isArray || list.sealed {
		t.faultf(pos, "%q is already a %s; use one form only", name, list.kind)
		return item
	}
	list.items = append(list.items, item)
	return item
}

// descend returns the table NAME of parent, the last one of a list of tables.
func (t *treeReader) descend(parent *value, name string, pos Pos) *value {
	v := parent.members[name]
	switch {
	case v == nil:
		v = newTable(pos)
		v.key = pos
		parent.put(name, v)
	case v.kind == isArray && !v.sealed && len(v.items) > 0:
		v = v.items[len(v.items)-1]
	case v.kind != isTable || v.sealed:
		t.faultf(pos, "%q is already a %s; it cannot be added to here", name, v.kind)
		v = newTable(pos)
	}
	return v
}

func (t *treeReader) keyValue(table *value, n *unstable.Node) {
	parts := keyParts(n)
	pos := t.at(parts[0])
	t.wasRead(t.base + int(parts[0].Raw.Offset))
	for _, p := range parts[:len(parts)-1] {
		table = t.descend(table, string(p.Data), t.at(p))
	}
	last := parts[len(parts)-1]
	name := string(last.Data)
	if old := table.members[name]; old != nil {
		t.faultf(pos, "key %q is here a second time; the first is in line %d", name, old.key.Line)
		table.broken = true
		return
	}
	v := t.value(n.Value(), t.valueStart(last))
	v.key = pos
	table.put(name, v)
}

// valueStart finds the value behind a key: the parser keeps no place for lists.
func (t *treeReader) valueStart(key *unstable.Node) Pos {
	at := t.base + int(key.Raw.Offset+key.Raw.Length)
	for at < len(t.data) && strings.IndexByte(" \t=", t.data[at]) >= 0 {
		at++
	}
	return t.pos(at)
}
