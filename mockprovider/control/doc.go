// Package control steers a mockprovider.Server over HTTP, so that a test in
// any language can read its journal, release its gates and reset it, and
// keeps a Server's script up to date with its file.
package control
