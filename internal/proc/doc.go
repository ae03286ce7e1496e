// Package proc runs child processes that must not outlive their parent.
//
// A Child has a process group of its own, an explicit environment with a mark
// in it, and bounded memory: lines have a longest length, and only the tail of
// standard error is kept. It ends by a ladder (input closed, TERM, KILL). On
// Linux the parent is made the subreaper of its descendants, and whatever
// carries the mark is ended with the child, sessions of its own included.
//
// A Work folder belongs to one running parent. The next parent that opens one
// beside it ends and removes what a killed parent left behind.
package proc
