package jsonrpc_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/internal/jsonrpc"
)

func TestParseTellsKindsApart(t *testing.T) {
	for _, c := range []struct {
		line string
		kind jsonrpc.Kind
		bad  string
	}{
		{line: `{"id":1,"method":"turn/start","params":{}}`, kind: jsonrpc.Request},
		{line: `{"id":"a","method":"item/tool/call"}`, kind: jsonrpc.Request},
		{line: `{"method":"initialized"}`, kind: jsonrpc.Notification},
		{line: `{"id":1,"result":{}}`, kind: jsonrpc.Reply},
		{line: `{"id":1,"result":null,"error":{"code":-1,"message":"m"}}`, kind: jsonrpc.Reply},
		{line: `{"jsonrpc":"2.0","id":1,"result":[]}`, kind: jsonrpc.Reply},
		{line: `{"id":1}`, bad: "neither"},
		{line: `{}`, bad: "neither"},
		{line: `[]`, bad: "no JSON-RPC"},
		{line: `Segmentation fault`, bad: "no JSON-RPC"},
		{line: ``, bad: "no JSON-RPC"},
	} {
		m, err := jsonrpc.Parse([]byte(c.line))
		if c.bad != "" {
			require.ErrorContains(t, err, c.bad, c.line)
			continue
		}
		require.NoError(t, err, c.line)
		require.Equal(t, c.kind, m.Kind(), c.line)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"m","params":{"a":"<b>"}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := jsonrpc.Parse(line)
		if err != nil {
			return
		}
		again, err := jsonrpc.Parse(m.Line())
		require.NoError(t, err)
		require.Equal(t, m.Kind(), again.Kind())
	})
}

func ExampleMessage_Line() {
	params, _ := jsonrpc.Raw(map[string]string{"text": "a < b"})
	fmt.Println(string(jsonrpc.Message{ID: []byte("7"), Method: "turn/start", Params: params}.Line()))
	// Output: {"id":7,"method":"turn/start","params":{"text":"a < b"}}
}
