package harness

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of several parts that together play everything once. The zero
// value is everything.
type Shard struct{ Index, Count int } // Index from 1

// shardVariables are where CI systems say which part a machine is to play.
var shardVariables = []struct {
	index, count string
	first        int // the first part's index
}{
	{"CI_NODE_INDEX", "CI_NODE_TOTAL", 1},                         // GitLab
	{"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},                 // CircleCI
	{"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0}, // Buildkite
	{"JOB_COMPLETION_INDEX", "HELDSTREAM_SHARDS", 0},              // a Kubernetes indexed Job; it does not say how many
}

// ParseShard reads "i/n", or with "env" what a CI system says in the
// environment.
func ParseShard(text string, getenv func(string) string) (Shard, error) {
	switch text {
	case "":
		return Shard{}, nil
	case "env":
		return shardOfEnv(getenv)
	}
	index, count, ok := strings.Cut(text, "/")
	s, err := newShard(index, count, 1)
	if !ok || err != nil {
		return Shard{}, fmt.Errorf("--shard %q: write i/n with i from 1 to n, or env", text)
	}
	return s, nil
}

func shardOfEnv(getenv func(string) string) (Shard, error) {
	var names []string
	for _, v := range shardVariables {
		names = append(names, v.index+" with "+v.count)
		if getenv(v.index) == "" && getenv(v.count) == "1" { // GitLab's job that is not parallel
			return Shard{Index: 1, Count: 1}, nil
		}
		if getenv(v.index) == "" || getenv(v.count) == "" {
			continue
		}
		s, err := newShard(getenv(v.index), getenv(v.count), v.first)
		if err != nil {
			return Shard{}, fmt.Errorf("--shard env: %s=%q of %s=%q is no part: %w", v.index, getenv(v.index), v.count, getenv(v.count), err)
		}
		return s, nil
	}
	return Shard{}, fmt.Errorf("--shard env: none of these are set: %s", strings.Join(names, ", "))
}

func newShard(index, count string, first int) (Shard, error) {
	i, err := strconv.Atoi(index)
	if err != nil {
		return Shard{}, err
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return Shard{}, err
	}
	s := Shard{i - first + 1, n}
	if s.Index < 1 || s.Index > n {
		return Shard{}, fmt.Errorf("it must be from %d to %d", first, n+first-1)
	}
	return s, nil
}
