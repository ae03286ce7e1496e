// Package responses has the wire types of the Responses API: the events of a
// stream and the items that they carry, with constructors for each.
package responses
