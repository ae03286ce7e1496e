// Package plan reads scenario files.
//
// Parse turns a file into a File, or into every fault that it has, each with
// line and column and the cure. A File makes one Plan for each variant of its
// matrix; a Plan is plain data that says what the provider answers, what
// happens to the agents and what must be true afterwards. Nothing is run here,
// and nothing is opened but included files.
//
// Each kind of table has one list of keys. It feeds the reader, the "did you
// mean", the help texts and the JSON Schema, so they cannot disagree.
package plan
