package html

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScreenshots takes pictures for people to look at. That a page has its
// nodes does not say that it looks right.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("HELDSTREAM_SCREENSHOTS")
	if dir == "" {
		t.Skip("set HELDSTREAM_SCREENSHOTS to a folder, and HELDSTREAM_CHROMIUM=1")
	}
	b := startChromium(t)
	left, right := issue5728(), issue5728()
	left.Name, right.Name = "codex 0.159.1", "codex 0.171.0"
	right.Variants[0] = right.Variants[1]
	right.Variants[0].Result.Variant = left.Variants[0].Result.Variant
	var both strings.Builder
	require.NoError(t, Diff(&both, left, right))
	pages := []struct{ name, file, at string }{
		{"overview", saved(t, written(t, issue5728())), ""},
		{"replace", saved(t, written(t, issue5728())), "#v=0&e=38"},
		{"steer", saved(t, written(t, issue5728())), "#v=1&e=72"},
		{"large", saved(t, written(t, large(5000))), "#v=0&e=2500"},
		{"diff-overview", saved(t, both.String()), ""},
		{"diff", saved(t, both.String()), "#v=0&e=37"},
	}
	if file := os.Getenv("HELDSTREAM_PAGE"); file != "" { // of a run that was really played
		pages = append(pages, []struct{ name, file, at string }{{"real-overview", file, ""}, {"real-0", file, "#v=0"}, {"real-1", file, "#v=1"}}...)
	}
	for _, page := range pages {
		for _, width := range []int{1280, 360} {
			p := b.open(t, page.file, page.at, width, 900)
			for _, dark := range []bool{false, true} {
				p.dark(dark)
				name := fmt.Sprintf("%s-%d-%s.png", page.name, width, map[bool]string{false: "light", true: "dark"}[dark])
				p.picture(filepath.Join(dir, name))
			}
		}
	}
	p := b.open(t, pages[1].file, pages[1].at, 1280, 900)
	var pdf struct{ Data []byte }
	p.do("Page.printToPDF", map[string]any{"printBackground": true}, &pdf)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "print.pdf"), pdf.Data, 0o600))
	p = b.open(t, pages[3].file, pages[3].at, 1280, 900)
	p.key("t")
	p.picture(filepath.Join(dir, "large-time.png"))
}

// picture takes the whole page, as far down as it goes.
func (p *tab) picture(file string) {
	p.t.Helper()
	var shot struct{ Data []byte }
	p.do("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true, "clip": map[string]any{
		"x": 0, "y": 0, "scale": 1, "width": p.number("innerWidth"), "height": p.number("document.documentElement.scrollHeight"),
	}}, &shot)
	require.NoError(p.t, os.WriteFile(file, shot.Data, 0o600))
}
