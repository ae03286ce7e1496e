// Package report has the results of a run and the writers that show them: text
// for people, JSON lines, JUnit XML, and GitHub's annotations and job summary.
//
// A [Result] is what became of one variant of a scenario, a [Run] what became
// of all of them. The package judges nothing; the runner fills the results in.
// Whatever a model said may stand in a result, so every writer shows such text
// and none lets it act on a terminal, a CI log or a page.
package report
