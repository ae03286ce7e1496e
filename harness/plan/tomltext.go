package plan

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// tomlText writes a text as TOML, one with several lines as such.
func tomlText(s string) string {
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	if strings.Contains(strings.TrimSuffix(s, "\n"), "\n") {
		return "\"\"\"\n" + escaped(s, true) + "\"\"\""
	}
	return `"` + escaped(s, false) + `"`
}

func escaped(s string, lines bool) string {
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\n' && lines:
			b.WriteByte('\n')
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f || c >= 0x80 && c < 0xa0:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func tomlKey(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return tomlValue(name)
}

// tomlValue writes what JSON decodes to as one TOML value. TOML has no null:
// members that are null are left out.
func tomlValue(v any) string {
	switch v := v.(type) {
	case string:
		return `"` + escaped(strings.ToValidUTF8(v, string(utf8.RuneError)), false) + `"`
	case []any:
		var parts []string
		for _, item := range v {
			if item != nil {
				parts = append(parts, tomlValue(item))
			}
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, name := range sortedKeys(v) {
			if v[name] != nil {
				parts = append(parts, tomlKey(name)+" = "+tomlValue(v[name]))
			}
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	}
	return fmt.Sprint(v)
}
