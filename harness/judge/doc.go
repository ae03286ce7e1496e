// Package judge says whether an expectation holds of a run. Every answer is one
// of three: met, unmet so far, or never to be met any more; the third ends a
// wait at once. A judgement reads and changes nothing.
package judge
