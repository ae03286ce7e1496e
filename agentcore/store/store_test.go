package store

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/timeline"
)

func record(id, cwd, title string, at int) agentcore.Record {
	return agentcore.Record{ID: id, Provider: "p", Cwd: cwd, Title: title, UpdatedAt: time.Unix(int64(at), 0).UTC()}
}

func row(n int) timeline.Entry {
	return timeline.Entry{Row: &timeline.Row{Seq: int64(n), Item: timeline.Item{Kind: timeline.User, Text: fmt.Sprintf("text %d", n), ClientID: fmt.Sprint(n)}}}
}

// TestACrashLosesNothingAcknowledged (13.S14) crashes before each call in turn, and
// looks at what three kinds of disks have kept.
func TestACrashLosesNothingAcknowledged(t *testing.T) {
	crashes := 0
	for at := 0; ; at++ {
		for _, k := range []keep{keepNothing, keepHalf, keepAll} {
			disk := newCrashFS(at)
			acked := script(New("/data", disk))
			if acked.all && k == keepAll {
				t.Logf("%d crashes", crashes)
				return
			}
			crashes++
			after := New("/data", disk.reboot(k))
			r, err := after.Load("a")
			if acked.title != "" {
				require.NoError(t, err, "crash %d keep %d", at, k)
				require.GreaterOrEqual(t, r.Title, acked.title, "crash %d keep %d", at, k)
			}
			tl, err := after.Timelines().Load("a")
			require.NoError(t, err)
			require.GreaterOrEqual(t, len(tl.Rows), acked.rows, "crash %d keep %d", at, k)
			require.NoError(t, after.Timelines().Append("a", []timeline.Entry{row(len(tl.Rows) + 1)}), "it can go on")
			again, err := New("/data", after.fs).Timelines().Load("a")
			require.NoError(t, err)
			require.Len(t, again.Rows, len(tl.Rows)+1)
		}
	}
}

type acknowledged struct {
	title string
	rows  int
	all   bool
}

// script stores a few things and says what was acknowledged.
func script(s *Store) (a acknowledged) {
	for i := 1; i <= 4; i++ {
		cwd := "/work"
		if i == 3 {
			cwd = "/elsewhere"
		}
		title := fmt.Sprintf("title %d", i)
		if s.Save(record("a", cwd, title, i)) != nil {
			return a
		}
		a.title = title
		if s.Timelines().Append("a", []timeline.Entry{row(2*i - 1), row(2 * i)}) != nil {
			return a
		}
		a.rows = 2 * i
	}
	a.all = true
	return a
}

func TestAnAppendThatFailedIsMadeUpForByTheNext(t *testing.T) {
	for at := range 12 {
		disk := newCrashFS(at)
		s := New("/data", disk)
		err := s.Timelines().Append("a", []timeline.Entry{row(1)})
		disk.left = -1
		require.NoError(t, s.Timelines().Append("a", []timeline.Entry{row(2)}), "after %v", err)
		tl, err := New("/data", disk.reboot(keepNothing)).Timelines().Load("a")
		require.NoError(t, err)
		require.Len(t, tl.Rows, 2)
	}
}

// TestRecords: 13.S1, 13.S2, 13.S3, 13.S4, 13.S10, 13.S11, 13.S13.
func TestRecords(t *testing.T) {
	root := t.TempDir()
	s := New(root, nil)
	_, err := s.Load("a")
	require.ErrorIs(t, err, agentcore.ErrNotFound)
	r := record("a", "/work", "one", 1)
	archived := time.Unix(5, 0).UTC()
	r.ArchivedAt, r.Labels = &archived, map[string]string{"k": "v"}
	r.Config = agentcore.SessionConfig{Provider: "p", Features: map[string]any{"fast": true}, Env: map[string]string{"SECRET": "x"}}
	require.NoError(t, s.Save(r))
	require.NoError(t, s.Save(record("b", `C:\work`, "two", 1)))
	data, err := os.ReadFile(filepath.Join(root, "agents", "work", "a.json"))
	require.NoError(t, err)
	require.NotContains(t, string(data), "SECRET", "what is for the launch only is not stored")
	require.FileExists(t, filepath.Join(root, "agents", "C--work", "b.json"))

	s = New(root, nil)
	got, err := s.Load("a")
	require.NoError(t, err)
	r.Config.Env = nil
	require.Equal(t, r, got)

	moved := record("a", "/other", "moved", 2)
	require.NoError(t, s.Save(moved))
	require.NoFileExists(t, filepath.Join(root, "agents", "work", "a.json"))

	// Two files of one agent, as an old crash may leave them: the newer counts,
	// and Delete removes both.
	old := New(root, nil)
	require.NoError(t, old.replace(filepath.Join(root, "agents", "work"), filepath.Join(root, "agents", "work", "a.json"), ".t", mustJSON(t, r)))
	s = New(root, nil)
	all, err := s.List()
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, "moved", all[0].Title)
	require.NoError(t, s.Delete("a"))
	_, err = New(root, nil).Load("a")
	require.ErrorIs(t, err, agentcore.ErrNotFound)
	require.ErrorContains(t, s.Save(record("../x", "/", "", 1)), "cannot name a file")
}

func mustJSON(t *testing.T, r agentcore.Record) []byte {
	t.Helper()
	other := New(t.TempDir(), nil)
	require.NoError(t, other.Save(r))
	data, err := other.fs.ReadFile(other.index[r.ID][0])
	require.NoError(t, err)
	return data
}

func TestDamage(t *testing.T) {
	rows := func(lines ...[]byte) []byte { return bytes.Join(lines, nil) }
	line := func(n int) []byte {
		l, err := encode(row(n))
		require.NoError(t, err)
		return l
	}
	flipped := bytes.Replace(line(2), []byte("text"), []byte("tent"), 1)
	for _, c := range []struct {
		name   string
		data   []byte
		whole  int
		named  bool
		reason string
	}{
		{"whole", rows(line(1), line(2)), 2, false, ""},
		{"torn", rows(line(1), line(2)[:20]), 1, false, "a crash in the middle of a write"},
		{"only half a line", line(1)[:5], 0, false, "the same, in an empty file"},
		{"zeros", rows(line(1), []byte("\x00\x00\x00\x00\n")), 1, false, "blocks that were never written"},
		{"a bit flipped", rows(line(1), flipped, line(3)), 1, true, "the checksum does not fit"},
		{"a row missing", rows(line(1), line(3)), 1, true, "row 3 cannot follow row 1"},
		{"nonsense", []byte("hello\n"), 0, true, "not a timeline at all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.MkdirAll(filepath.Join(root, "timelines"), 0o755))
			name := filepath.Join(root, "timelines", "a.log")
			require.NoError(t, os.WriteFile(name, c.data, 0o600))
			var told []string
			s := New(root, nil)
			s.Damaged = func(n, kept string, err error) { told = append(told, kept) }
			tl, err := s.Timelines().Load("a")
			require.NoError(t, err)
			require.Len(t, tl.Rows, c.whole, c.reason)
			if !c.named {
				require.Empty(t, told)
				return
			}
			require.Equal(t, []string{name + ".damaged"}, told)
			kept, err := os.ReadFile(told[0])
			require.NoError(t, err)
			require.Equal(t, c.data, kept)
		})
	}
}

// TestADamagedRecordIsKeptAside: 13.S12.
func TestADamagedRecordIsKeptAside(t *testing.T) {
	root := t.TempDir()
	s := New(root, nil)
	require.NoError(t, s.Save(record("a", "/work", "", 1)))
	require.NoError(t, s.Save(record("b", "/work", "", 1)))
	name := filepath.Join(root, "agents", "work", "a.json")
	require.NoError(t, os.WriteFile(name, []byte("{"), 0o600))
	s = New(root, nil)
	var kept string
	s.Damaged = func(_, k string, _ error) { kept = k }
	all, err := s.List()
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Equal(t, name+".damaged", kept)
	require.FileExists(t, kept)
}
