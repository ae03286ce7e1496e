package codexbin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// tryLock takes the lock of a version, or says that somebody else has it. The
// lock ends when the file is closed, or every process that got it has ended. The
// file itself stays: removing it would let two hold "the" lock.
func tryLock(path string) (f *os.File, busy bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, false, err
	}
	f, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return nil, false, err
	}
	if err = flock(f, syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return f, false, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, true, nil
	}
	return nil, false, err
}

// lock takes the lock, calling wait first when somebody else has it.
func lock(ctx context.Context, path string, wait func()) (*os.File, error) {
	f, busy, err := tryLock(path)
	if !busy {
		return f, err
	}
	wait()
	f, err = os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	// A call of flock cannot be broken off. When ctx ends first, the lock is let go
	// as soon as it is got.
	got := make(chan error, 1)
	go func() { got <- flock(f, syscall.LOCK_EX) }()
	select {
	case err := <-got:
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			return f, nil
		}
		f.Close()
		return nil, err
	case <-ctx.Done():
		go func() { <-got; f.Close() }()
		return nil, ctx.Err()
	}
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
