// Package codex drives `codex app-server`: its Client is an
// agentcore.Provider.
//
// All decisions about a session are made by one pure machine (machine.go): it
// takes calls of the manager, lines of codex, timers and exits, in one order,
// and says what is to be written, told, armed or killed. Replies and
// notifications stay in the order of the wire; nobody waits for a reply
// elsewhere. The session around it (client.go) is an inbox and a loop.
//
// A Backend starts the processes: Live runs the binary, in a Home of its own
// and with a Trap for whatever it asks the outside; package tape plays a
// recording; package codextest has a fake. Wire goes around any of them, and
// holds, drops, repeats or changes messages by rules. It is a Timekeeper, and
// must be the outermost Backend of a Client to be found as one.
//
// What differs between versions of codex stands in quirks.go, each row with
// the live test that holds it to the binary. Live tests need CODEX_BIN.
//
// Things that are different from what one may expect:
//   - A text counts as taken when codex shows its user item, never because a
//     call was answered; what was accepted and not shown by the end of its turn
//     is TurnEnded.Dropped.
//   - A steer or an interrupt between the answer to turn/start and turn/started
//     waits for the latter: codex would refuse it.
//   - When the process dies the turn fails and the session stays; the next call
//     that needs codex starts it again and resumes the thread. A thread that
//     holds nothing yet cannot be resumed: a new one is begun, and told as
//     SettingChanged "session".
//   - Codex keeps what a turn sets for those that follow: a feature that is
//     switched off is taken back with the next turn.
//   - What a turn needs to know of codex (its configuration, its skills) is asked
//     for when the first turn needs it, not while the session opens.
//   - The row of a compaction that codex never completes is left running; the
//     manager closes it with the turn.
package codex
