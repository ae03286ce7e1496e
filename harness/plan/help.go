package plan

import (
	"fmt"
	"strings"
)

const helpWidth = 78

// Help is a page of help as text of at most 80 columns: a topic of Topics, or
// the name of a step or a table.
func Help(name string) (string, error) {
	t, ok := findTopic(name)
	if !ok {
		return "", fmt.Errorf("%s", unknown("there is no help on "+shortQuote(name), name, helpNames()))
	}
	var b strings.Builder
	b.WriteString(t.title + "\n\n")
	for par := range strings.SplitSeq(t.intro, "\n\n") {
		if par != "" {
			b.WriteString(wrap(par, "", helpWidth) + "\n")
		}
	}
	if t.example != "" {
		b.WriteString(indent(t.example) + "\n")
	}
	for _, table := range t.tables() {
		b.WriteString(table.head + table.like("   such as: %s") + "\n" + table.doc.text() + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n", nil
}

func helpNames() []string {
	names := Topics()
	for _, t := range topics() {
		for _, table := range t.tables() {
			names = append(names, bare(table.head))
		}
	}
	return names
}

// bare is the name in a heading like [[agent]].
func bare(head string) string { return strings.Trim(head, "[]") }

func (t topicTable) like(format string) string {
	if t.example == "" || t.example == t.head+" = true" {
		return ""
	}
	return fmt.Sprintf(format, t.example)
}

func (d tableDoc) text() string {
	var b strings.Builder
	for _, k := range d.keys {
		must := ""
		if k.must && len(d.keys) > 1 {
			must = "   (required)"
		}
		margin := "      " + k.margin()
		b.WriteString(wrap(strings.TrimSpace(k.name)+" = "+k.form+must, margin, helpWidth-2)[4:])
		b.WriteString(wrap(k.use, margin, helpWidth))
	}
	return b.String()
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	return b.String()
}

// wrap breaks a text into lines of at most width columns, each after prefix.
func wrap(text, prefix string, width int) string {
	var b strings.Builder
	line := prefix
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == prefix:
			line += word
		case len([]rune(line))+1+len([]rune(word)) > width:
			b.WriteString(line + "\n")
			line = prefix + word
		default:
			line += " " + word
		}
	}
	return b.String() + line + "\n"
}

// Manual is all of the help as Markdown.
func Manual() string {
	var b strings.Builder
	for _, t := range topics() {
		b.WriteString("## " + t.title + "\n\n" + t.intro + "\n\n")
		b.WriteString("```toml\n" + t.example + "```\n\n")
		for _, table := range t.tables() {
			b.WriteString("### " + code(table.head) + "\n\n" + table.like("`%s`\n\n") + table.doc.markdown() + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func code(head string) string {
	if strings.HasPrefix(head, "[") {
		return "`" + head + "`"
	}
	return head
}

func (d tableDoc) markdown() string {
	var b strings.Builder
	b.WriteString("| key | value | |\n|---|---|---|\n")
	for _, k := range d.keys {
		must := ""
		if k.must && len(d.keys) > 1 {
			must = " (required)"
		}
		b.WriteString("| " + strings.ReplaceAll(k.margin(), " ", "&nbsp;") + "`" + strings.TrimSpace(k.name) + "` | " + cell(k.form) + " | " + cell(k.use) + must + " |\n")
	}
	return b.String()
}

// margin sets the keys of an inner table off.
func (k keyDoc) margin() string { return k.name[:len(k.name)-len(strings.TrimLeft(k.name, " "))] }

// cell keeps a text from breaking out of its cell.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "\n", " ").Replace(s)
}
