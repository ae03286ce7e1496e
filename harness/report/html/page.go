package html

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/report"
)

// Variant is what is known of one played variant.
type Variant struct {
	Result report.Result
	Events []eventlog.Event // its log; none for a variant that was skipped
}

// Report is what a page shows of one run.
type Report struct {
	Name        string        // tells two reports of one page apart; may be empty
	Elapsed     time.Duration // by the wall clock
	Interrupted bool          // ended by Ctrl-C: Variants has what was finished
	Variants    []Variant
}

// Write writes the page of one run.
func Write(w io.Writer, r Report) error { return write(w, r) }

// Diff writes the page of two runs beside each other. Variants belong together
// by scenario and axes; one that only one side has stands alone.
func Diff(w io.Writer, left, right Report) error { return write(w, left, right) }

//go:embed assets
var assets embed.FS

func write(w io.Writer, reports ...Report) error {
	data, err := json.Marshal(newPage(reports)) // escapes <, > and &
	if err != nil {
		return err
	}
	script, style := joined(".js"), joined(".css")
	page := strings.NewReplacer(
		"{{policy}}", policy(script, style),
		"{{style}}", string(style),
		"{{data}}", string(data),
		"{{script}}", string(script),
	)
	_, err = page.WriteString(w, string(asset("page.html")))
	return err
}

// policy allows the script and the style of the page and nothing else. The last
// two directives make the browser refuse markup made from strings, whoever
// writes the code that tries.
func policy(script, style []byte) string {
	return strings.Join([]string{
		"default-src 'none'",
		"script-src " + source(script),
		"style-src " + source(style),
		"base-uri 'none'",
		"form-action 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
}

func source(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// joined is all assets of a kind in the order of their names.
func joined(ending string) []byte {
	var b bytes.Buffer
	for _, name := range assetNames() {
		if strings.HasSuffix(name, ending) {
			b.WriteByte('\n')
			b.Write(asset(name))
		}
	}
	return b.Bytes()
}

func assetNames() []string {
	entries, err := assets.ReadDir("assets")
	if err != nil {
		panic(err) // they are compiled in
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func asset(name string) []byte {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // they are compiled in
	}
	return data
}
