package codexbin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"syscall"

	"golang.org/x/sys/unix"
)

// NoBinary says that a version is listed but has no binary for this platform.
// No command mends that.
type NoBinary struct{ Version, Platform string }

// Error names both and the cure.
func (e *NoBinary) Error() string {
	return fmt.Sprintf("codex %s has no binary for %s; take another version, such as %s", e.Version, e.Platform, Default)
}

// Install brings a version and gives the path of its binary; one that is there
// already is checked and given back, one that is broken is replaced. When ctx
// ends, npm is ended and nothing is left behind. Two installs of one version
// at once wait for each other. Each error is one line with its cure; a *NoBinary
// says that there is nothing to install.
func (s *Store) Install(ctx context.Context, version string) (string, error) {
	if err := checkVersion(version); err != nil {
		return "", err
	}
	l, err := lock(ctx, s.lockFile(version), func() {
		s.say("codex %s: another process installs it; waiting", version)
	})
	if err != nil {
		return "", s.explain(version, ownFault(err))
	}
	defer l.Close()
	if path, err := s.check(ctx, version, s.folder(version)); err == nil {
		s.say("codex %s: is there: %s", version, path)
		return path, nil
	}
	if err := s.bring(ctx, version, l); err != nil {
		return "", s.explain(version, ownFault(err))
	}
	path, err := s.Path(version)
	s.say("codex %s: ready: %s", version, path)
	return path, err
}

// bring installs beside, checks, and renames. It holds the version's lock.
func (s *Store) bring(ctx context.Context, version string, held *os.File) error {
	spec, size, err := s.source(ctx, version)
	if err != nil {
		return err
	}
	s.say("codex %s: npm brings %s (%s) into %s", version, spec, megabytes(size), s.folder(version))
	part := s.beside(version)
	if err := os.RemoveAll(part); err != nil { // of an install that was killed
		return err
	}
	defer os.RemoveAll(part)
	if err := os.MkdirAll(part, 0o777); err != nil {
		return err
	}
	// --global=false and --include: the user's configuration may say otherwise.
	_, err = s.npm(ctx, []*os.File{held}, "install", "--prefix", part, "--global=false", "--no-save",
		"--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--include=optional", spec)
	if err != nil {
		return err
	}
	// npm calls it a success when the disk got full and files were cut short, so
	// a full disk counts, whatever the binary says.
	if s.full(part) {
		return &npmError{code: "ENOSPC"}
	}
	if _, err := s.check(ctx, version, part); err != nil && ctx.Err() == nil {
		return fmt.Errorf("codex %s: what npm brought is not it: %w", version, err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.replace(version, part)
}

// replace puts the whole new folder where a broken one may stand.
func (s *Store) replace(version, part string) error {
	if _, err := os.Lstat(s.folder(version)); err == nil {
		s.say("codex %s: the folder that is there is broken; replacing it", version)
		if err := os.RemoveAll(s.folder(version)); err != nil {
			return err
		}
	}
	return os.Rename(part, s.folder(version))
}

// check gives the binary in a folder when it says that it is the version.
func (s *Store) check(ctx context.Context, version, folder string) (string, error) {
	path, err := locate(folder)
	if err != nil {
		return "", err
	}
	says, err := probe(ctx, path)
	if err == nil && says != version {
		err = fmt.Errorf("%s says that it is %s", path, says)
	}
	return path, err
}

var platformSpec = regexp.MustCompile(`^npm:(` + packageName + `@[0-9A-Za-z.+-]+)$`)

// source gives what npm must install for a version, and its unpacked size
// (0: unknown). Where a version has a package a platform, that one is installed
// itself: npm passes over an optional dependency that fails, and would call
// the install a success.
func (s *Store) source(ctx context.Context, version string) (spec string, size int64, err error) {
	spec = packageName + "@" + version
	whole, err := s.view(ctx, spec)
	if err != nil || len(whole.OptionalDependencies) == 0 {
		return spec, whole.Dist.UnpackedSize, err
	}
	p := thisPlatform().npm
	m := platformSpec.FindStringSubmatch(whole.OptionalDependencies[packageName+"-"+p])
	if m == nil {
		return "", 0, &NoBinary{version, p}
	}
	one, err := s.view(ctx, m[1])
	if e := (*npmError)(nil); errors.As(err, &e) && e.code == "E404" {
		err = &NoBinary{version, p}
	}
	return m[1], one.Dist.UnpackedSize, err
}

func megabytes(size int64) string {
	if size <= 0 {
		return "the registry does not say how large; up to 400 MB"
	}
	return fmt.Sprintf("%d MB", (size+999_999)/1_000_000)
}

// ownFault gives a failure of our own file work the code that npm would have
// given it, so that it gets the same cure.
func ownFault(err error) error {
	var no syscall.Errno
	if !errors.As(err, &no) {
		return err
	}
	code := unix.ErrnoName(no)
	if cure(code) == "" {
		return fmt.Errorf("%w; set HELDSTREAM_CACHE to a folder that can be written", err)
	}
	return &npmError{code: code, said: err.Error()}
}

// spare is what an install leaves free on a disk that was not full: a page or
// two are left on one that was.
const spare = 4 << 20

func (s *Store) full(folder string) bool {
	free := s.free
	if free == nil {
		free = freeSpace
	}
	n, err := free(folder)
	return err == nil && n < spare
}

func freeSpace(folder string) (uint64, error) {
	var st unix.Statfs_t
	err := unix.Statfs(folder, &st)
	return uint64(st.Bavail) * uint64(st.Bsize), err
}
