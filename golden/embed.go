// Package golden has the goldens and tapes of the library, named as their
// scenarios are.
package golden

import "embed"

// Files are the goldens and tapes.
//
//go:embed */*
var Files embed.FS
