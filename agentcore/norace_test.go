//go:build !race

package agentcore_test

const sendsEach = 1000
