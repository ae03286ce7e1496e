package codex

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore"
)

const (
	rolloutDepth   = 4
	maxRolloutFile = 256 << 20 // bytes that are read of one file
)

// ReadRollout reads the history of a thread from the rollout files under dir.
// Lines that cannot be read are left out.
func ReadRollout(dir, thread string) ([]agentcore.HistoryItem, error) {
	path, err := findRollout(dir, thread)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b := newRolloutReader()
	lines := bufio.NewReader(f)
	for read := 0; read < maxRolloutFile; {
		line, err := lines.ReadBytes('\n')
		read += len(line)
		b.line(line)
		if err != nil {
			break
		}
	}
	return b.items, nil
}

// findRollout looks for the thread's file, nearest the top first.
func findRollout(dir, thread string) (string, error) {
	if thread == "" || strings.ContainsAny(thread, `/\`) {
		return "", fmt.Errorf("%q is no thread id", thread)
	}
	level := []string{dir}
	for range rolloutDepth + 1 {
		var next []string
		for _, d := range level {
			entries, err := os.ReadDir(d)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			for _, e := range entries {
				switch path := filepath.Join(d, e.Name()); {
				case e.IsDir():
					next = append(next, path)
				case isRollout(e.Name(), thread):
					return path, nil
				}
			}
		}
		level = next
	}
	return "", fmt.Errorf("no rollout file of thread %s under %s", thread, dir)
}

func isRollout(name, thread string) bool {
	ext := filepath.Ext(name)
	return strings.HasPrefix(name, "rollout-") && strings.Contains(name, thread) && (ext == ".jsonl" || ext == ".json")
}

// rolloutReader turns records into history.
type rolloutReader struct {
	items []agentcore.HistoryItem
	calls map[string]int // call id -> index in items
	// sessions are the commands whose output named a running process.
	sessions map[string]string
}

func newRolloutReader() *rolloutReader {
	return &rolloutReader{calls: map[string]int{}, sessions: map[string]string{}}
}

// record is one line. Old versions kept the payload under item or msg.
type record struct {
	Timestamp string
	Type      string
	Payload   json.RawMessage
	Item      json.RawMessage
	Msg       json.RawMessage
	Items     []json.RawMessage // a whole file of an old version
}

func (b *rolloutReader) line(line []byte) {
	line = bytes.TrimSpace(line)
	var r record
	if len(line) == 0 || json.Unmarshal(line, &r) != nil {
		return
	}
	at, _ := time.Parse(time.RFC3339, r.Timestamp)
	for _, item := range r.Items {
		b.response(item, at)
	}
	payload := r.Payload
	for _, old := range []json.RawMessage{r.Item, r.Msg} {
		if payload == nil {
			payload = old
		}
	}
	switch r.Type {
	case "response_item":
		b.response(payload, at)
	case "event_msg":
		b.event(payload, at)
	case "compacted":
		b.compacted(at)
	}
}
