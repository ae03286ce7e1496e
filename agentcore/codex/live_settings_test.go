package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/heldstream/heldstream/agentcore"
	"github.com/heldstream/heldstream/agentcore/codex"
	mp "github.com/heldstream/heldstream/mockprovider"
)

// openAs opens a session with a configuration of its own.
func (r *liveRig) openAs(config agentcore.SessionConfig) {
	config.Provider, config.Cwd = "codex", r.cwd
	r.gone = make(chan struct{})
	r.session = r.client.Open(agentcore.OpenRequest{AgentID: "main", Config: config}, r.sink)
}

// featuresIn says of each request whether it is fast and whether it plans.
func (r *liveRig) featuresIn() (out []string) {
	for _, body := range r.bodies {
		modes := gjson.Get(body, `input.#(role=="developer")#.content.#.text|@flatten`).Array()
		line := "plan=false"
		for _, text := range modes {
			if strings.Contains(text.String(), "<collaboration_mode>") { // the last one counts
				line = fmt.Sprintf("plan=%v", strings.Contains(text.String(), "# Plan Mode"))
			}
		}
		out = append(out, fmt.Sprintf("fast=%v %s", gjson.Get(body, "service_tier").String() != "", line))
	}
	return out
}

// TestLiveSettingsAreTakenBack: codex keeps what a turn sets, so a feature that
// is switched off has to be taken back.
func TestLiveSettingsAreTakenBack(t *testing.T) {
	features := map[string]any{"plan_mode": true, "fast_mode": true}
	r := newLiveRig(t, nil, mp.Reply{To: mp.Turn, Say: []string{"hello"}})
	r.openAs(agentcore.SessionConfig{Model: "gpt-5.5", Features: features})
	r.story.await("opened")
	r.send("send one")
	r.story.await("ended T1 completed")
	for name := range features {
		r.do(agentcore.Set{Name: name, Value: false})
	}
	r.send("send two")
	r.story.await("ended T2 completed")
	require.Equal(t, []string{"fast=true plan=true", "fast=false plan=false"}, r.featuresIn())
}

// TestLiveSettingsOfAnotherSession: a resumed thread plans on, unless it is told
// not to.
func TestLiveSettingsOfAnotherSession(t *testing.T) {
	r := newLiveRig(t, nil, mp.Reply{To: mp.Turn, Say: []string{"hello"}})
	r.openAs(agentcore.SessionConfig{Model: "gpt-5.5", Features: map[string]any{"plan_mode": true, "fast_mode": true}})
	r.story.await("opened")
	r.send("send one")
	r.story.await("ended T1 completed")
	first := r.handle
	r.close()
	r.gone = make(chan struct{})
	r.session = r.client.Open(agentcore.OpenRequest{AgentID: "main", Resume: &first, Config: agentcore.SessionConfig{
		Provider: "codex", Cwd: r.cwd, Features: map[string]any{"plan_mode": false, "fast_mode": false},
	}}, r.sink)
	r.story.await("opened")
	r.send("send two")
	r.story.await("ended T2 completed")
	require.Equal(t, []string{"fast=true plan=true", "fast=false plan=false"}, r.featuresIn())
}

// TestLiveModes: each mode there is lets a turn run, and the folders that the
// configuration opens stay open.
func TestLiveModes(t *testing.T) {
	r := newLiveRig(t, map[string]any{"sandbox_workspace_write": map[string]any{"writable_roots": []string{"/var/opt"}}},
		mp.Reply{To: mp.Turn, Say: []string{"hello"}})
	r.open(nil)
	want := 1 // auto
	for _, m := range codex.Modes() {
		if m.ID == "auto-review" && !r.quirks.Reviews {
			id := r.do(agentcore.Set{Name: "mode", Value: m.ID})
			r.story.await("answer", `err=mode "auto-review" is unknown to codex `+r.quirks.Version)
			require.Nil(t, r.values[id])
			continue
		}
		r.do(agentcore.Set{Name: "mode", Value: m.ID})
		r.send("send " + m.ID)
		r.story.await("ended T", "completed")
		if m.ID == "auto-review" {
			want++
		}
	}
	roots := 0
	for _, l := range r.wire {
		if l.sent && gjson.GetBytes(l.line, "params.sandboxPolicy.writableRoots.0").String() == "/var/opt" {
			roots++
		}
	}
	require.Equal(t, want, roots)
}

// TestLiveSkill: a slash command that names a skill sends the skill.
func TestLiveSkill(t *testing.T) {
	r := newLiveRig(t, nil, mp.Reply{To: mp.Turn, Say: []string{"hello"}})
	r.home.Files = map[string][]byte{"skills/greet/SKILL.md": []byte("---\nname: greet\ndescription: says hello\n---\nBow three times.\n")}
	r.open(nil)
	r.send("/greet send one")
	r.story.await("ended T1 completed", "dropped=[]")
	r.send("/nothing send two")
	r.story.await("ended T2 completed", "dropped=[]")
	require.Contains(t, r.bodies[0], "Bow three times.")
	require.Equal(t, 1, r.story.count("request turn 1.1", `["send one"]`))
	require.Contains(t, r.bodies[1], "/nothing send two")
}
