// Package eventlog is the one log of a run: everything that a component
// publishes becomes an Event in it, in one order. Waits, expectations, goldens,
// reports and traces are readings of the log; nothing else keeps history.
package eventlog
