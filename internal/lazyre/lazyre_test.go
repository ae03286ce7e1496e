package lazyre_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/internal/lazyre"
)

func TestNew(t *testing.T) {
	digits := lazyre.New(`\d+`)
	require.Equal(t, "12", digits().FindString("a12b"))
	require.Same(t, digits(), digits(), "compiled once")
	faulty := lazyre.New(`(`)
	require.Panics(t, func() { faulty() }, "not before it is used")
}
