// Package scenarios is the library of scenario files, by area.
package scenarios

import "embed"

// Files are the scenarios and what describes them.
//
//go:embed README.md */*
var Files embed.FS
