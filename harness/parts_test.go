package harness

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness/eventlog"
	"github.com/heldstream/heldstream/harness/judge"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/reading"
	"github.com/heldstream/heldstream/harness/report"
	"github.com/heldstream/heldstream/internal/proc"
)

func steps(actions ...plan.Action) []plan.Step {
	var all []plan.Step
	for i, a := range actions {
		all = append(all, plan.Step{Index: i + 1, Agent: "main", Action: a})
	}
	return all
}

func TestASectionEndsWhereAllIsSettled(t *testing.T) {
	got := sections(steps(&plan.Run{Text: "a"}, &plan.Send{Text: "b"}, &plan.Await{Held: "g"}, &plan.Settle{}, &plan.Release{Gate: "g"}, &plan.Await{State: "idle"}, &plan.Interrupt{}), settles)
	require.Equal(t, map[int]string{
		1: `step 1 run "a"`,
		2: `step 2 send "b", 3 await held g, 4 settle`,
		5: `step 5 release g, 6 await state idle`,
		7: `step 7 interrupt`,
	}, got, "a step that does not wait shares a section with the next that does; the last step ends one")
}

func TestGuardsRunOutOnlyWhenAStepSaysSo(t *testing.T) {
	c := newClock()
	var fired []string
	arm := func(name string) func() {
		return c.AfterFunc(name, time.Nanosecond, func() { fired = append(fired, name) })
	}
	arm("interrupt")
	stop := arm("start")
	arm("close")
	stop()
	require.False(t, c.expire("start"), "a stopped guard is gone")
	require.True(t, c.expire("close"))
	require.False(t, c.expire("close"), "a guard runs out once")
	require.Equal(t, []string{"close"}, fired, "no guard has run out by itself")
}

func TestShards(t *testing.T) {
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, c := range []struct {
		text string
		env  func(string) string
		want Shard
		err  string
	}{
		{"", env(), Shard{}, ""},
		{"2/3", env(), Shard{2, 3}, ""},
		{"0/3", env(), Shard{}, "write i/n"},
		{"4/3", env(), Shard{}, "write i/n"},
		{"x", env(), Shard{}, "write i/n"},
		{"env", env("CI_NODE_INDEX", "1", "CI_NODE_TOTAL", "4"), Shard{1, 4}, ""},
		{"env", env("CIRCLE_NODE_INDEX", "0", "CIRCLE_NODE_TOTAL", "4"), Shard{1, 4}, ""},
		{"env", env("JOB_COMPLETION_INDEX", "3", "HELDSTREAM_SHARDS", "4"), Shard{4, 4}, ""},
		{"env", env("JOB_COMPLETION_INDEX", "4", "HELDSTREAM_SHARDS", "4"), Shard{}, "it must be from 0 to 3"},
		{"env", env("CI_NODE_TOTAL", "1"), Shard{1, 1}, ""}, // GitLab's job that is not parallel
		{"env", env(), Shard{}, "none of these are set"},
	} {
		got, err := ParseShard(c.text, c.env)
		if c.err != "" {
			require.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
}

func TestShardsTogetherPlayEverythingOnce(t *testing.T) {
	var plans []*plan.Plan
	for range 11 {
		plans = append(plans, &plan.Plan{})
	}
	played := map[*plan.Plan]int{}
	for i := 1; i <= 4; i++ {
		for _, p := range (Shard{i, 4}).of(plans) {
			played[p]++
		}
	}
	require.Len(t, played, 11)
	for _, n := range played {
		require.Equal(t, 1, n)
	}
}

func TestAFilterKeepsByNameAndTag(t *testing.T) {
	p := &plan.Plan{File: "scenarios/a/b.toml", Tags: []string{"x"}, Variant: plan.Variant{{Name: "send", Value: "steer"}}}
	require.True(t, Filter{}.keeps(p))
	require.True(t, Filter{Run: regexp.MustCompile("a/b send=steer$")}.keeps(p))
	require.False(t, Filter{Run: regexp.MustCompile("replace")}.keeps(p))
	require.True(t, Filter{Tags: []string{"y", "x"}}.keeps(p))
	require.False(t, Filter{Tags: []string{"y"}}.keeps(p))
}

func TestScenarioName(t *testing.T) {
	require.Equal(t, "a/b", ScenarioName("lib/scenarios/a/b.toml"))
	require.Equal(t, "b", ScenarioName("some/where/b.toml"))
}

// gated plays plans that end when they are let go, in whatever order.
func gated(gates []chan struct{}, verdicts map[int]report.Verdict) func(context.Context, *plan.Plan) report.Result {
	return func(_ context.Context, p *plan.Plan) report.Result {
		i := int(p.Variant[0].Value.(int64))
		<-gates[i]
		v := verdicts[i]
		if v == "" {
			v = report.Pass
		}
		return report.Result{Scenario: p.Variant.String(), Verdict: v}
	}
}

func numbered(n int) (plans []*plan.Plan, gates []chan struct{}) {
	for i := range n {
		plans = append(plans, &plan.Plan{Variant: plan.Variant{{Name: "i", Value: int64(i)}}})
		gates = append(gates, make(chan struct{}))
	}
	return plans, gates
}

func TestResultsComeInTheOrderOfThePlans(t *testing.T) {
	plans, gates := numbered(3)
	var told []string
	s := &Suite{Play: gated(gates, nil), Jobs: 3, Done: func(r report.Result) { told = append(told, r.Scenario) }}
	var results []report.Result
	var run sync.WaitGroup
	run.Go(func() { results = s.Run(t.Context(), plans) })
	for _, i := range []int{2, 0, 1} {
		close(gates[i])
	}
	run.Wait()
	require.Equal(t, []string{"i=0", "i=1", "i=2"}, told)
	require.Len(t, results, 3)
}

func TestFailFastBeginsNoMore(t *testing.T) {
	plans, gates := numbered(3)
	for _, g := range gates {
		close(g)
	}
	s := &Suite{Play: gated(gates, map[int]report.Verdict{0: report.Fail}), Jobs: 1, FailFast: true}
	require.Len(t, s.Run(t.Context(), plans), 1)
}

func TestVerdictsAgainstWhatIsKnown(t *testing.T) {
	known := &plan.KnownFailure{Issue: "x#1", Fails: []string{"compactions", "timeline"}}
	for _, c := range []struct {
		failed []string
		known  *plan.KnownFailure
		want   report.Verdict
	}{
		{nil, nil, report.Pass},
		{[]string{"timeline"}, nil, report.Fail},
		{nil, known, report.UnexpectedPass},
		{[]string{"timeline", "compactions"}, known, report.KnownFailure},
		{[]string{"timeline"}, known, report.Fail},
		{[]string{"timeline", "compactions", "delivered"}, known, report.Fail},
	} {
		var res report.Result
		for _, f := range c.failed {
			res.Failures = append(res.Failures, report.Failure{What: f})
		}
		require.Equal(t, c.want, verdict(&res, c.known), "%v", c.failed)
	}
}

func TestGives(t *testing.T) {
	for _, c := range []struct {
		want *plan.Gives
		got  string
		ok   bool
	}{
		{nil, "steered", true},
		{nil, "error: no", false},
		{&plan.Gives{What: "steered"}, "steered", true},
		{&plan.Gives{What: "steered"}, "started", false},
		{&plan.Gives{Error: "compact"}, "error: cannot steer a compact turn", true},
		{&plan.Gives{Error: "compact"}, "steered", false},
		{&plan.Gives{What: "steered"}, noAnswer, false},
	} {
		_, ok := gives(c.want, c.got)
		require.Equal(t, c.ok, ok, "%+v %s", c.want, c.got)
	}
}

func TestAWaitEndsWhenEverythingHasSettledWithoutIt(t *testing.T) {
	e := &Env{log: eventlog.New(), run: reading.New()}
	e.log.Attach(e.run.Apply)
	err := e.await(t.Context(), func() (judge.Answer, string) { return judge.Unmet, "a compaction" })
	require.EqualError(t, err, "cannot be met any more, everything has settled: a compaction")
}

func TestADeadlineIsNoJudgement(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 0, errDeadline)
	defer cancel()
	e := &Env{log: eventlog.New(), run: reading.New()}
	e.run.Work = 1
	err := e.settle(ctx)
	require.ErrorIs(t, err, errDeadline)
	require.False(t, (&stepError{err: err}).judged())
	require.True(t, (&stepError{err: errors.New("the turn failed")}).judged())
}

func TestACommandStandsAtItsGate(t *testing.T) {
	work, err := proc.OpenWork(t.TempDir())
	require.NoError(t, err)
	e := &Env{log: eventlog.New(), run: reading.New(), work: work}
	e.log.Attach(e.run.Apply)
	h := newHolds(e)
	require.Equal(t, "cat "+h.path("g"), h.command("g"))
	require.Zero(t, h.release("g"), "nobody stands there")

	read := make(chan error, 1)
	go func() {
		_, err := os.ReadFile(h.path("g"))
		read <- err
	}()
	held := func([]eventlog.Event) (bool, error) { return e.run.Gates["g"].Now == 1, nil }
	require.NoError(t, e.log.Wait(t.Context(), held))
	require.Equal(t, 1, h.release("g"))
	require.NoError(t, <-read)
	h.close()
	require.NoError(t, work.Close())
}

// A command that comes back to its gate at once finds it closed again, and not
// the pipe that it was let go from.
func TestACommandComesBackToItsGate(t *testing.T) {
	const times = 500
	work, err := proc.OpenWork(t.TempDir())
	require.NoError(t, err)
	e := &Env{log: eventlog.New(), run: reading.New(), work: work}
	e.log.Attach(e.run.Apply)
	h := newHolds(e)
	h.command("g")
	read := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < times && err == nil; i++ {
			_, err = os.ReadFile(h.path("g"))
		}
		read <- err
	}()
	for i := range times {
		came := func([]eventlog.Event) (bool, error) { return e.run.Gates["g"].Ever == i+1, nil }
		require.NoError(t, e.log.Wait(t.Context(), came))
		require.Equal(t, 1, h.release("g"))
	}
	require.NoError(t, <-read)
	h.close()
	require.NoError(t, work.Close())
}

func TestNoFileOutsideTheWorkspace(t *testing.T) {
	work, err := proc.OpenWork(t.TempDir())
	require.NoError(t, err)
	e := &Env{work: work}
	for _, name := range []string{"../x", "/etc/passwd", "a/../../x"} {
		require.ErrorContains(t, e.writeFile(name, plan.Content{}), "is not in the workspace")
	}
	require.NoError(t, e.writeFile("a/b", plan.Content{Text: "x"}))
	require.FileExists(t, filepath.Join(e.workspace(), "a", "b"))
	require.NoError(t, work.Close())
}
