package inbox_test

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/heldstream/heldstream/internal/inbox"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestOneAtATimeAndInOrder: each sender's items come in its order, none while
// another is being dealt with, and those that the handler puts in come too.
func TestOneAtATimeAndInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const senders, each = 4, 50
		var one sync.Mutex
		var got []int
		var b inbox.Inbox[int]
		b.Handle = func(n int) {
			require.True(t, one.TryLock(), "two at a time")
			defer one.Unlock()
			got = append(got, n)
			if n >= 0 && n%each == each-1 {
				b.Put(-n)
			}
		}
		for s := range senders {
			go func() {
				for i := range each {
					b.Put(s*each + i)
				}
			}()
		}
		synctest.Wait()
		require.Len(t, got, senders*(each+1))
		for s := range senders {
			mine := slices.DeleteFunc(slices.Clone(got), func(n int) bool { return n < 0 || n/each != s })
			require.True(t, slices.IsSorted(mine))
			require.Greater(t, slices.Index(got, -(s*each+each-1)), slices.Index(got, s*each+each-1))
		}
	})
}
