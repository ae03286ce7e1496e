package tape

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"github.com/heldstream/heldstream/internal/lazyre"
)

// Texts that differ from run to run stand in a tape as placeholders:
//
//	{{cwd}} {{home}} …         a place of the run (Places)
//	{{client:3}}               an id that the manager made, known when it comes
//	{{codex 812 9ad1e0aa:HEAD}} a text of codex's own, of which only length, hash
//	                           and first words are kept
//	{{lb}}                     two braces that stood in the text

// Places are the texts of a run that are other ones in the next: name -> text.
type Places map[string]string

// Hide replaces places by their placeholders in a text; Show puts them back.
type Hide struct{ plain, json *strings.Replacer }

// NewHide makes a Hide. Longer places come first, so that a folder in another
// is told from it.
func NewHide(p Places) Hide {
	names := make([]string, 0, len(p))
	for name, text := range p {
		if text != "" {
			names = append(names, name)
		}
	}
	sort.Slice(names, func(i, j int) bool {
		a, b := p[names[i]], p[names[j]]
		return len(a) > len(b) || len(a) == len(b) && names[i] < names[j]
	})
	plain, quoted := []string{"{{", "{{lb}}"}, []string{"{{", "{{lb}}"}
	for _, name := range names {
		plain = append(plain, p[name], "{{"+name+"}}")
		quoted = append(quoted, inJSON(p[name]), "{{"+name+"}}")
	}
	return Hide{strings.NewReplacer(plain...), strings.NewReplacer(quoted...)}
}

// Text hides the places of a text, and what looks like a secret.
func (h Hide) Text(s string) string {
	s = h.plain.Replace(s)
	lower := strings.ToLower(s)
	for _, secret := range secrets {
		if strings.Contains(lower, secret.hint) {
			s = secret.re().ReplaceAllString(s, "(secret)")
		}
	}
	return s
}

// secrets are what must never get into a tape, however it came into a run: keys,
// tokens, and the names of people's folders.
// hint is what every one of them holds, in lower case: most texts have none of it.
var secrets = []struct {
	hint string
	re   func() *regexp.Regexp
}{
	{"k-", lazyre.New(`\b(?:sk|rk|pk)-[A-Za-z0-9_-]{16,}`)},
	{"gh", lazyre.New(`\bgh[pousr]_[A-Za-z0-9]{20,}`)},
	{"github_pat_", lazyre.New(`\bgithub_pat_[A-Za-z0-9_]{20,}`)},
	{"xox", lazyre.New(`\bxox[abprs]-[A-Za-z0-9-]{10,}`)},
	{"akia", lazyre.New(`\bAKIA[0-9A-Z]{16}\b`)},
	{"eyj", lazyre.New(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
	{"-----begin ", lazyre.New(`(?s)-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)},
	{"bearer ", lazyre.New(`(?i)\bbearer [A-Za-z0-9._~+/-]{8,}=*`)},
	{"/home/", lazyre.New(`/home/[^/\s"':]+`)},
	{"/users/", lazyre.New(`/Users/[^/\s"':]+`)},
}

// JSON hides the places in the strings of a JSON value.
func (h Hide) JSON(data []byte) []byte { return []byte(h.json.Replace(string(data))) }

// Digest names the content of a provider's event.
func (h Hide) Digest(data []byte) json.RawMessage {
	sum := sha256.Sum256(h.JSON(data))
	return json.RawMessage(fmt.Sprintf(`"#%x"`, sum[:6]))
}

// inJSON is a text as it stands between the quotes of a JSON string.
func inJSON(s string) string {
	quoted, err := Encode(s)
	if err != nil {
		return s
	}
	return string(quoted[1 : len(quoted)-1])
}

// OwnText is what a tape keeps of a text of codex's own.
func OwnText(head, text string, hash bool) string {
	sum := ""
	if hash {
		s := sha256.Sum256([]byte(text))
		sum = fmt.Sprintf("%x", s[:4])
	}
	return fmt.Sprintf("{{codex %d %s:%s}}", len(text), sum, head)
}

var ownText = lazyre.New(`\{\{codex (\d{1,7}) [0-9a-f]*:([^{}"\\]*)\}\}`)

// maxShown is how long a value may become when its placeholders are filled.
const maxShown = 32 << 20

// show fills the placeholders of a JSON value. A text of codex's own gets its
// first words and its length back, so that sizes are what they were.
func show(data []byte, places *strings.Replacer) ([]byte, error) {
	if !bytes.Contains(data, []byte("{{")) {
		return data, nil
	}
	data, err := showOwn(data)
	if err != nil {
		return nil, err
	}
	return []byte(places.Replace(string(data))), nil
}

// showOwn gives codex's own texts their lengths back.
func showOwn(data []byte) ([]byte, error) {
	var b bytes.Buffer
	from := 0
	for _, m := range ownText().FindAllSubmatchIndex(data, -1) {
		n, _ := strconv.Atoi(string(data[m[2]:m[3]]))
		if b.Len()+n > maxShown {
			return nil, errors.New("the texts in it are too long")
		}
		b.Write(data[from:m[0]])
		b.WriteString(padded(string(data[m[4]:m[5]]), n))
		from = m[1]
	}
	if from == 0 {
		return data, nil
	}
	b.Write(data[from:])
	return b.Bytes(), nil
}

// padded is a text of n bytes that begins with head.
func padded(head string, n int) string {
	if n <= len(head) {
		return head
	}
	return head + " " + strings.Repeat(".", n-len(head)-1)
}

// shower fills placeholders; bound are those that came with the manager's
// messages.
func shower(places Places, bound map[string]string) *strings.Replacer {
	pairs := []string{"{{lb}}", "{{"}
	for name, text := range places {
		pairs = append(pairs, "{{"+name+"}}", inJSON(text))
	}
	for name, text := range bound {
		pairs = append(pairs, "{{"+name+"}}", inJSON(text))
	}
	return strings.NewReplacer(pairs...)
}

// check refuses what could not be asked of a provider.
func (w Wire) check() error {
	if !strings.HasPrefix(w.Path, "/") || strings.ContainsAny(w.Path, " \r\n?#") {
		return fmt.Errorf("%.40q is no path", w.Path)
	}
	if !word().MatchString(w.Method) {
		return fmt.Errorf("%.40q is no method", w.Method)
	}
	if w.Connection < 0 || w.Connection > 1000 {
		return fmt.Errorf("%d is no connection", w.Connection)
	}
	return nil
}
