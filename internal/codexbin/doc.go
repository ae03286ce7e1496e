// Package codexbin finds codex binaries on this machine and brings more of them
// through the user's own npm.
//
// A [Store] has one folder a version below the user's cache folder. A folder
// is installed beside its place, its binary is asked for its version, and only
// then is it renamed into place: what stands there is whole. Nothing but
// [Store.Install] downloads anything.
package codexbin
