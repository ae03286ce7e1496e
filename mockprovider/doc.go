// Package mockprovider is a scriptable fake of the Responses API, as Codex
// and OpenAI's clients meet it.
//
// A Script lists replies: which requests each answers, and with what. A
// Server plays it as an http.Handler; gates hold a reply at a place until
// Release. Nothing depends on time or chance: ids, counters and bytes are the
// same in every run.
package mockprovider
