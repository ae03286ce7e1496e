// Package html writes a run as one page that needs nothing else: an overview of
// the variants, and for each its swim-lanes, its events and the conversations
// that the provider was asked to continue.
//
// The page carries its data as JSON in a script element of a type that is not
// executed, and puts all of it on the screen as text nodes. Its content policy
// allows its own script and style, by hash, and nothing else: no request leaves
// the page, and markup in what a model said cannot become markup of the page.
//
// The scripts in assets are plain files, joined in the order of their names.
package html
