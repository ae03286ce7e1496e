package plan

import (
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// OS opens included files by their path, as the user's shell would.
var OS fs.FS = osFS{}

type osFS struct{}

func (osFS) Open(name string) (fs.File, error) { return os.Open(name) }

// includable are the tables that an included file can have.
func includable() []string {
	return []string{"reply", "wire", "agent", "provider", "codex", "manager", "workspace", "realtime", "limits", "invariants"}
}

// include lays what the file includes under what it says itself: its own keys
// count more, its own replies come first.
func include(r *reader, root *value, fsys fs.FS) {
	v := root.get("include")
	if v == nil {
		return
	}
	paths, _ := listForm(placedText(nonEmptyForm("path"))).read(r, v)
	for _, p := range paths {
		data, fault := readInclude(p, fsys)
		if fault != "" {
			r.faultAt(p.Pos, "%s", fault)
			continue
		}
		tree, faults := readTree(includedName(p), data)
		r.faults = append(r.faults, faults...)
		onlyIncludable(r, tree)
		underlay(root, tree)
	}
}

// Includes are the files that a scenario file includes, by their paths from where
// name is, as far as the file can be read.
func Includes(name string, data []byte) []string {
	root, _ := readTree(name, data)
	return includes(root)
}

func includes(root *value) []string {
	v := root.get("include")
	if v == nil {
		return nil
	}
	list, _ := listForm(placedText(nonEmptyForm("path"))).read(&reader{}, v)
	var names []string
	for _, p := range list {
		names = append(names, includedName(p))
	}
	return names
}

func includedName(p Text) string { return path.Join(path.Dir(p.Pos.File), p.Text) }

// readInclude opens nothing but a plain file of bounded size.
func readInclude(p Text, fsys fs.FS) (data []byte, fault string) {
	if path.IsAbs(p.Text) {
		return nil, "an included file lies beside this one; write its path from here"
	}
	if fsys == nil {
		return nil, "nothing can be included here; put the tables into this file"
	}
	f, err := fsys.Open(includedName(p))
	if err != nil {
		return nil, "cannot include " + shortQuote(p.Text) + ": " + reason(err) + "; its path starts at this file's folder"
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, "cannot include " + shortQuote(p.Text) + ": it is no plain file"
	}
	data, err = io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil || len(data) > MaxFile {
		return nil, "cannot include " + shortQuote(p.Text) + ": it cannot be read, or is larger than 4 MiB"
	}
	return data, ""
}

// reason is an error without the path, which differs by system.
func reason(err error) string {
	var last string
	for part := range strings.SplitSeq(err.Error(), ": ") {
		last = part
	}
	return last
}

func onlyIncludable(r *reader, tree *value) {
	for _, name := range slices.Clone(tree.names) {
		if !slices.Contains(includable(), name) {
			r.faultAt(tree.members[name].key, "%s", unknown("an included file cannot have "+shortQuote(name), name, includable()))
			delete(tree.members, name)
			tree.names = slices.DeleteFunc(tree.names, func(n string) bool { return n == name })
		}
	}
}

// underlay adds to over what it has not from under.
func underlay(over, under *value) {
	for _, name := range under.names {
		own, theirs := over.members[name], under.members[name]
		switch {
		case own == nil:
			over.put(name, theirs)
		case own.kind == isTable && theirs.kind == isTable:
			underlay(own, theirs)
		case own.kind == isArray && theirs.kind == isArray && slices.Contains([]string{"reply", "wire", "agent"}, name):
			own.items = append(own.items, theirs.items...)
		}
	}
}
