package harness

import (
	"fmt"
	"regexp"
	"strings"
)

// normalizer puts words in the place of what differs from run to run: ports,
// folders, ids, times. Ids are numbered by their first appearance.
type normalizer struct {
	names *strings.Replacer
	ids   map[string]string
}

// newNormalizer takes pairs of a text and the word for it; a text that is
// empty is left alone.
func newNormalizer(pairs ...string) *normalizer {
	var known []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != "" {
			known = append(known, pairs[i], pairs[i+1])
		}
	}
	return &normalizer{strings.NewReplacer(known...), map[string]string{}}
}

var (
	port = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	// What codex wrote to its stderr before it ended is of no interest.
	stderr = regexp.MustCompile(`(?s)(Codex app-server exited with [^\n]*).*`)
	uuid   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	chunk  = regexp.MustCompile(`(Chunk ID: )[0-9a-f]+`)
	wall   = regexp.MustCompile(`(Wall time: )[0-9.]+`)
	pid    = regexp.MustCompile(`(session ID |process )\d+`)
)

func (n *normalizer) text(s string) string {
	s = stderr.ReplaceAllString(n.names.Replace(s), "$1")
	s = port.ReplaceAllString(s, "127.0.0.1:PORT")
	s = chunk.ReplaceAllString(s, "${1}ID")
	s = wall.ReplaceAllString(s, "${1}TIME")
	s = pid.ReplaceAllString(s, "${1}N")
	return uuid.ReplaceAllStringFunc(s, n.id)
}

func (n *normalizer) id(id string) string {
	if n.ids[id] == "" {
		n.ids[id] = fmt.Sprintf("ID-%d", len(n.ids)+1)
	}
	return n.ids[id]
}

// normalizer knows the names of this run. The workspace is in the work folder,
// so it comes first.
func (e *Env) normalizer() *normalizer {
	pairs := []string{e.workspace(), "${workspace}", e.work.Dir, "${work}"}
	for _, a := range e.agents.all() {
		pairs = append(pairs, a.id, "${agent."+a.name+".id}")
	}
	return newNormalizer(pairs...)
}
