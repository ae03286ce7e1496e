package agentcore_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore"
)

// TestWhatIsAttachedGoesAlong: out of the queue as well, in another life of the
// agent.
func TestWhatIsAttachedGoesAlong(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	r.send("first", "queue")
	r.answer("t1", nil)
	queue, _ := agentcore.PresetNamed("queue")
	sent := agentcore.Prompt{
		Images:   []agentcore.Image{{MIME: "image/png", Data: []byte("dots")}},
		Attached: []agentcore.Attachment{{Kind: "text", Text: "notes"}, {Kind: "skill", Name: "greet", Path: "/s"}},
	}
	done(t, r.begin(agentcore.SendRequest{AgentID: agentA, Prompt: sent, Policy: queue}))
	require.NoError(t, r.Close(context.Background(), agentA))
	_, err := r.Load(context.Background(), agentA)
	require.NoError(t, err)
	r.settle()
	s := r.provider.last()
	require.Equal(t, 1, s.calls("StartTurn"))
	require.Equal(t, sent, s.open_[len(s.open_)-1].Op.(agentcore.StartTurn).Prompt)
}

func TestAPromptIsNeitherEmptyNorEndless(t *testing.T) {
	r := newRig(t, func(o *agentcore.Options) { o.Limits.Prompt = 4 })
	r.create()
	for want, p := range map[string]agentcore.Prompt{
		"Prompt is empty": {Text: " "},
		"Prompt has 5 bytes, the limit is 4: send less": {Text: "ab", Attached: []agentcore.Attachment{{Kind: "text", Text: "cde"}}},
	} {
		_, err := r.begin(agentcore.SendRequest{AgentID: agentA, Prompt: p}).Result()
		require.EqualError(t, err, want)
	}
}

// TestWhatIsAttachedMakesSense: what no provider could take is refused, instead
// of left out of the turn without a word.
func TestWhatIsAttachedMakesSense(t *testing.T) {
	r := newRig(t, nil)
	s := r.create()
	fine := agentcore.Attachment{Kind: "text", Text: "notes"}
	for want, bad := range map[string]agentcore.Attachment{
		`Attachment 2 is a "file": attach a text, skill or mention`: {Kind: "file", Path: "/f"},
		`Attachment 2 is a "": attach a text, skill or mention`:     {Text: "notes"},
		`Attachment 2 is a text that is empty: leave it out`:        {Kind: "text", Text: " \n"},
		`Attachment 2 is a skill without a path: say where it is`:   {Kind: "skill", Name: "greet"},
		`Attachment 2 is a mention without a path: say where it is`: {Kind: "mention", Name: "docs"},
	} {
		p := agentcore.Prompt{Text: "one", Attached: []agentcore.Attachment{fine, bad}}
		_, err := r.begin(agentcore.SendRequest{AgentID: agentA, Prompt: p}).Result()
		require.EqualError(t, err, want)
	}
	require.Zero(t, s.calls("StartTurn"))
}

// TestASessionSwitchesAFeatureOff: that is kept, like what was asked for.
func TestASessionSwitchesAFeatureOff(t *testing.T) {
	r := newRig(t, nil)
	r.create()
	r.emit(agentcore.SettingChanged{Name: "plan_mode", Value: "false"}, agentcore.SettingChanged{Name: "mood", Value: "good"})
	a, _ := r.Get(agentA)
	require.Equal(t, map[string]any{"plan_mode": false}, a.Config.Features)
}

// TestCommandsOfTheSession: they are no turns, and what is wrong with one is a
// row.
func TestCommandsOfTheSession(t *testing.T) {
	r := newRig(t, nil)
	r.provider.caps.Commands = []string{"goal"}
	s := r.create()
	require.Equal(t, agentcore.OutOfBand, done(t, r.send("/goal  set win ", "steer")).Disposition)
	require.Equal(t, agentcore.Command{Name: "goal", Args: "set win"}, s.open_[len(s.open_)-1].Op)
	r.answer(nil, errors.New("there are no goals"))
	r.send("/goals for all", "steer")
	require.Equal(t, 1, s.calls("StartTurn"))
	require.Equal(t, []string{"user: /goal  set win", "error: there are no goals"}, r.rows())
}
