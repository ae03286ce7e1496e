// Package timeline keeps what was said and done in a conversation: rows in
// order, numbered within an epoch, read by cursor, and projected for display.
package timeline
