package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMainIsThereWhereAnythingIsForIt(t *testing.T) {
	const head = "[[reply]]\nto = \"turn\"\n[[agent]]\nname = \"b\"\n[[step]]\nagent = \"b\"\nsend = \"x\"\n"
	for _, c := range []struct{ more, reason string }{
		{"[[step]]\nsettle = true\n", "a settle is for nobody"},
		{"[[step]]\nexec = \"true\"\n", "nor is a command"},
		{"[[step]]\nawait = { state = \"idle\", agent = \"b\" }\n", "an await says whose"},
		{"[expect.agent.b]\nturns = 1\n", "as an expectation does"},
		{"[expect]\nturns = 1\n", "which is for all otherwise"},
	} {
		p := one(t, head+c.more)
		require.Len(t, p.Agents, 1, c.reason)
		require.Equal(t, "b", p.Agents[0].Name)
	}
	for _, c := range []struct{ more, reason string }{
		{"[[step]]\nsend = \"y\"\n", "a send is main's"},
		{"[[step]]\nawait = { state = \"idle\" }\n", "so is a state"},
		{"[[step]]\ntogether = [{ send = \"y\" }, { send = \"z\", agent = \"b\" }]\n", "inside of a together too"},
		{"[expect.agent.main]\nturns = 1\n", "an expectation names it"},
	} {
		p := one(t, head+c.more)
		require.Len(t, p.Agents, 2, c.reason)
		require.Equal(t, "main", p.Agents[0].Name)
	}
}
