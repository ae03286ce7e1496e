// Package record makes tapes: it listens to a run, at the wire of each codex
// process and to what the provider tells the log, and writes down what the run's
// next playing needs. What is another text in each run (ids, places, times) gets
// a name or a constant; of codex's own texts (prompts, tools) only length and
// hash are kept; what looks like a secret is not kept at all.
package record
