package harness_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/harness"
)

func versions(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("0.%d.0", i))
	}
	return all
}

func TestBisectFindsEveryChange(t *testing.T) {
	all := versions(33)
	for change := 1; change < len(all); change++ {
		got, err := harness.Bisect(all, func(v string) (string, error) {
			var minor int
			_, err := fmt.Sscanf(v, "0.%d.0", &minor)
			return fmt.Sprint(minor >= change), err
		})
		require.NoError(t, err)
		require.Equal(t, harness.Bisection{Last: all[change-1], First: all[change], Probed: got.Probed}, got)
		require.LessOrEqual(t, got.Probed, 8, "two ends, and the logarithm of what is between")
	}
}

func TestBisectSkipsWhatCannotBePlayed(t *testing.T) {
	all := versions(9)
	got, err := harness.Bisect(all, func(v string) (string, error) {
		if v == "0.4.0" || v == "0.5.0" {
			return "", harness.ErrNoBinary
		}
		return fmt.Sprint(v >= "0.5.0"), nil
	})
	require.NoError(t, err)
	require.Equal(t, "0.3.0", got.Last)
	require.Equal(t, "0.6.0", got.First)
	require.Equal(t, []string{"0.4.0", "0.5.0"}, got.Skipped)
}

func TestBisectNeedsTwoEndsThatDiffer(t *testing.T) {
	same := func(string) (string, error) { return "pass", nil }
	_, err := harness.Bisect(versions(3), same)
	require.EqualError(t, err, "0.0.0 and 0.2.0 come to the same: pass")
	_, err = harness.Bisect(versions(1), same)
	require.ErrorContains(t, err, "no version between")
}
