package plan

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

func TestExamplesOfHelpAreRight(t *testing.T) {
	for _, topic := range topics() {
		file := topic.example
		if !strings.Contains(file, "[[step]]") {
			file += "[[step]]\nrun = \"x\"\n[[step]]\nrelease = \"summary\"\n"
		}
		_, faults := Parse(topic.name, []byte(file), nil)
		require.Empty(t, faults, topic.name)
	}
}

func TestExamplesOfStepsAreRight(t *testing.T) {
	for _, a := range actions() {
		v, faults := readTree(a.name, []byte(a.example))
		require.Empty(t, faults, a.name)
		r := &reader{axes: &axisTable{}}
		s, ok := readStep(r, v, actions())
		require.True(t, ok, "%s: %v", a.name, r.faults)
		require.Equal(t, a.name, s.Action.Name())
	}
}

func TestHelpFitsTheScreen(t *testing.T) {
	for _, name := range helpNames() {
		text, err := Help(name)
		require.NoError(t, err, name)
		for line := range strings.Lines(text) {
			require.LessOrEqual(t, utf8.RuneCountInString(line), 80, "%s: %s", name, line)
		}
	}
	_, err := Help("sned")
	require.EqualError(t, err, `there is no help on "sned"; did you mean "send"?`)
}

func TestEveryKeyHasAUse(t *testing.T) {
	for _, topic := range topics() {
		for _, table := range topic.tables() {
			for _, k := range table.doc.keys {
				require.NotEmpty(t, k.use, "%s: %s", table.head, k.name)
				require.NotEmpty(t, k.form, "%s: %s", table.head, k.name)
			}
		}
	}
}

func TestGivesNamesTheAnsweredSteps(t *testing.T) {
	var names []string
	for _, a := range actions() {
		if a.gives {
			names = append(names, a.name)
		}
	}
	require.Equal(t, strings.Join(names, ", "), answeredNames())
}

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(Schema())))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("scenario.json", doc))
	s, err := c.Compile("scenario.json")
	require.NoError(t, err)
	return s
}

func asJSON(t *testing.T, text string) any {
	t.Helper()
	var table map[string]any
	require.NoError(t, toml.Unmarshal([]byte(text), &table))
	data, err := json.Marshal(table)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	require.NoError(t, err)
	return doc
}

func TestSchemaTakesWhatParseTakes(t *testing.T) {
	s := compiledSchema(t)
	front, err := os.ReadFile("../../scenarios/compaction/issue-5728.toml")
	require.NoError(t, err)
	require.NoError(t, s.Validate(asJSON(t, string(front))))
	for _, topic := range topics() {
		require.NoError(t, s.Validate(asJSON(t, topic.example)), topic.name)
	}
	for _, a := range actions() {
		require.NoError(t, s.Validate(asJSON(t, "[[step]]\n"+a.example)), a.name)
	}
}

func TestSchemaRefusesWhatParseRefuses(t *testing.T) {
	s := compiledSchema(t)
	for _, bad := range []string{
		"abuot = 1", "[[reply]]\nsay = \"x\"", "[[reply]]\nto = \"trun\"", "[[reply]]\nto = \"turn\"\ntimes = -1",
		"[[reply]]\nto = \"turn\"\nattempts = [{ sattus = 1 }]", "[[step]]\nsned = \"x\"", "[[step]]\nsend = \"x\"\nrun = \"y\"",
		"[expect]\nturns = \"one\"", "[[expect_if]]\nturns = 1", "[[wire]]\ndrop = true", "[limits]\ndeadline = \"20\"",
	} {
		require.Error(t, s.Validate(asJSON(t, bad)), bad)
	}
}
