// Package store keeps agents on disk: one JSON file for the record of an agent,
// one file of lines for its timeline.
//
//	ROOT/agents/PROJECT/ID.json    PROJECT is the agent's folder as one name
//	ROOT/timelines/ID.log          a checksum and an entry a line, only appended
//
// A record is written beside the old one and renamed over it. What was
// acknowledged is on the disk: files and folders are synced before a call
// returns. A line of a timeline that was torn by a crash is cut off on load;
// whatever else cannot be read is kept aside under another name, and named.
package store
