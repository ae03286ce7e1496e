package codexbin

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
)

// platform has the names that codex's packages have for where we run: npm's
// (linux-x64), and the parts of the target triple (x86_64-unknown-linux-musl).
type platform struct {
	npm        string
	arch, kind string
}

func thisPlatform() platform { return platformOf(runtime.GOOS, runtime.GOARCH) }

func platformOf(goos, goarch string) platform {
	npmOS := map[string]string{"windows": "win32"}
	npmArch := map[string]string{"amd64": "x64"}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}
	return platform{
		npm:  or(npmOS[goos], goos) + "-" + or(npmArch[goarch], goarch),
		arch: or(arch[goarch], goarch), kind: goos,
	}
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (p platform) isTriple(name string) bool {
	return strings.HasPrefix(name, p.arch+"-") && strings.Contains(name, "-"+p.kind)
}

// locate finds the codex binary of this platform somewhere below a folder that
// npm filled. Its place differs by version: vendor/TRIPLE/bin/codex,
// vendor/TRIPLE/codex/codex, and in the oldest bin/codex-TRIPLE.
func locate(folder string) (string, error) {
	p, found := thisPlatform(), ""
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || !p.isBinary(path) {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Mode()&0o111 != 0 && found == "" {
			found = path
		}
		return err
	})
	if err == nil && found == "" {
		err = fmt.Errorf("no codex binary for %s in %s", p.npm, folder)
	}
	return found, err
}

func (p platform) isBinary(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".exe")
	if triple, ok := strings.CutPrefix(name, "codex-"); ok {
		return p.isTriple(triple)
	}
	if name != "codex" {
		return false
	}
	above := filepath.Dir(filepath.Dir(path))
	return p.isTriple(filepath.Base(above)) || p.isTriple(filepath.Base(filepath.Dir(path)))
}

// native gives the binary behind the script that npm puts on PATH, so that a
// signal reaches codex and no node stands between; any other file it gives back.
func native(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || filepath.Base(real) != "codex.js" {
		return path
	}
	root := filepath.Dir(filepath.Dir(real))
	if inside, err := locate(root); err == nil {
		return inside
	}
	if beside, err := locate(filepath.Dir(root)); err == nil {
		return beside
	}
	return path
}
