package filewatch

import (
	"errors"
	"testing"

	"github.com/fsnotify/fsnotify"
	"github.com/stretchr/testify/require"
)

func TestErrors(t *testing.T) {
	errs := make(chan error, 1)
	w := &Watcher{w: &fsnotify.Watcher{Errors: errs}}
	errs <- fsnotify.ErrEventOverflow
	require.NoError(t, w.Next(t.Context()), "what was dropped may be a change")
	errs <- errors.New("broken")
	require.EqualError(t, w.Next(t.Context()), "files cannot be watched: broken")
}
