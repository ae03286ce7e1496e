//go:build race

package agentcore_test

// sendsEach is smaller under the race detector, which makes everything ten
// times slower.
const sendsEach = 100
