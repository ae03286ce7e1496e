// Package responses has the wire types of the Responses API and a Writer that
// makes the events of a streamed response in the official order.
package responses
