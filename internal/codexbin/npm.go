package codexbin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

const packageName = "@openai/codex"

// npmError is what npm said when it failed.
type npmError struct {
	code string // E404, ENOSPC, …
	said string // its first line of words
}

func (e *npmError) Error() string { return fmt.Sprintf("npm failed with %s: %s", e.code, e.said) }

var errNoNPM = errors.New("npm is not on PATH: install Node.js, which brings npm, or set CODEX_BIN to a codex that you have")

// patience is how long npm may take to answer a question. It is above npm's own
// retries on a bad network, and ends an npm that hangs.
const patience = 3 * time.Minute

var errNoAnswer = fmt.Errorf("npm has not answered within %v; look at the network, and at npm config get registry and npm config get cache", patience)

// endDelay is how long npm may take to end after it was told to.
const endDelay = 5 * time.Second

// npm runs the user's npm with the user's environment (its registry, proxies
// and certificates are configured there) and gives its output. What stands in
// held is open in npm too, so that a lock outlives us as long as npm does.
func (s *Store) npm(ctx context.Context, held []*os.File, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, or(s.NPM, "npm"), append(args, "--loglevel=error", "--no-update-notifier")...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = &stdout, &stderr, held
	// A group of its own: Ctrl-C reaches us, and we end npm with what it started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = endDelay
	err := cmd.Run()
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		if cmd.Process != nil { // what npm started may have stayed
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		}
		return nil, context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return nil, errNoNPM
	case cmd.Process == nil:
		return nil, fmt.Errorf("npm cannot be started: %s", err)
	}
	return nil, understand(stderr.String(), err)
}

var npmLine = regexp.MustCompile(`(?m)^npm (?:error|ERR!) (?:(code|syscall|errno|path) )?(.+)$`)

// understand reads npm's code and its first line of words from what it printed.
func understand(stderr string, err error) error {
	e := &npmError{code: "no code", said: err.Error()}
	words := false
	for _, m := range npmLine.FindAllStringSubmatch(stderr, -1) {
		switch {
		case m[1] == "code":
			e.code = m[2]
		case m[1] == "" && !words:
			e.said, words = m[2], true
		}
	}
	return e
}

// explain puts a failure of npm into one line with its cure.
func (s *Store) explain(version string, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("installing codex %s was interrupted and left nothing behind; type replay codex install %s to try again: %w", version, version, err)
	}
	var e *npmError
	if !errors.As(err, &e) {
		return err
	}
	if text := cure(e.code); text != "" {
		return fmt.Errorf("codex %s: %s (%s)", version, strings.NewReplacer("VERSION", version, "DIR", s.Dir).Replace(text), e.code)
	}
	return fmt.Errorf("codex %s: %w; npm install %s@%s shows more", version, e, packageName, version)
}

// cure gives what to do about a code; empty: nobody knows.
func cure(code string) string {
	for _, c := range cures {
		if slices.Contains(c.codes, code) {
			return c.text
		}
	}
	return ""
}

// cures has what to do about each way that npm fails.
var cures = []struct {
	codes []string
	text  string
}{
	{[]string{"E404", "ETARGET", "ENOVERSIONS"}, "npm lists no such version; npm view " + packageName + " versions shows all"},
	{[]string{"ENOSPC", "EDQUOT"}, "no space left; free some, or set HELDSTREAM_CACHE to a folder on another disk than DIR"},
	{[]string{"EACCES", "EPERM", "EROFS"}, "npm may not write its own cache or DIR; mend the rights, or set HELDSTREAM_CACHE to another folder"},
	{[]string{"ENOTDIR", "EEXIST"}, "DIR is a file where a folder must be; set HELDSTREAM_CACHE to another folder"},
	{[]string{"ENOTFOUND", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "ERR_SOCKET_TIMEOUT", "FETCH_ERROR"},
		"the registry cannot be reached; look at the network, and at npm config get registry and npm config get proxy"},
	{[]string{"ERR_INVALID_URL", "EINVALIDURL", "EUNSUPPORTEDPROTOCOL"}, "npm's registry is no address; look at npm config get registry"},
	{[]string{"E401", "E403", "EAUTHUNKNOWN", "ENEEDAUTH"}, "the registry refuses you; look at npm config get registry, and log in with npm login"},
	{[]string{"E500", "E502", "E503", "E504", "E429"}, "the registry is in trouble; try again later"},
	{[]string{"EINTEGRITY", "TAR_BAD_ARCHIVE", "Z_DATA_ERROR", "Z_BUF_ERROR"}, "the download was damaged; type npm cache verify, then replay codex install VERSION"},
	{[]string{"SELF_SIGNED_CERT_IN_CHAIN", "DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "CERT_HAS_EXPIRED"},
		"npm does not trust the registry's certificate; set cafile in your npm configuration"},
}

// manifest is what npm view tells of a version.
type manifest struct {
	OptionalDependencies map[string]string `json:"optionalDependencies"`
	Dist                 struct {
		UnpackedSize int64 `json:"unpackedSize"` // bytes; 0: the registry does not say
	} `json:"dist"`
}

// ask has npm tell the named members of a package.
func (s *Store) ask(ctx context.Context, spec string, members ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errNoAnswer)
	defer cancel()
	return s.npm(ctx, nil, slices.Concat([]string{"view", spec}, members, []string{"--json"})...)
}

func (s *Store) view(ctx context.Context, spec string) (m manifest, err error) {
	out, err := s.ask(ctx, spec, "version", "dist", "optionalDependencies")
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(out, &m); err != nil {
		return m, fmt.Errorf("npm view %s printed no JSON object (%w): is %q an npm?", spec, err, or(s.NPM, "npm"))
	}
	return m, nil
}

// Versions asks npm for all versions of codex and gives those without a
// suffix, oldest first. That a version is listed does not say that it has a
// binary for this platform.
func (s *Store) Versions(ctx context.Context) ([]string, error) {
	out, err := s.ask(ctx, packageName, "versions")
	if err != nil {
		return nil, s.explain("versions", err)
	}
	var all []string
	if err := json.Unmarshal(out, &all); err != nil {
		return nil, fmt.Errorf("npm view %s versions printed no JSON list (%w): is %q an npm?", packageName, err, or(s.NPM, "npm"))
	}
	all = slices.DeleteFunc(all, func(v string) bool { return !plainForm.MatchString(v) })
	slices.SortFunc(all, CompareVersions)
	return all, nil
}
