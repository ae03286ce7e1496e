package mockprovider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/stretchr/testify/require"

	mp "github.com/heldstream/heldstream/mockprovider"
)

// A real client is the judge of what the Server puts on the wire.
func openaiClient(t *testing.T, sc *mp.Script) (openai.Client, *mp.Server) {
	srv := &mp.Server{Script: sc}
	hs := httptest.NewServer(srv)
	t.Cleanup(func() { srv.Close(); hs.Close() })
	return openai.NewClient(option.WithBaseURL(hs.URL+"/v1"), option.WithAPIKey("none"), option.WithHTTPClient(hs.Client()), option.WithMaxRetries(2)), srv
}

func asking(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: "gpt-x", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
}

func TestOpenAIStreaming(t *testing.T) {
	c, _ := openaiClient(t, &mp.Script{Replies: []mp.Reply{{
		To: mp.Turn, Think: &mp.Think{Summary: []string{"hm"}}, Say: []string{"Hel", "lo ${n}"},
		Call: []mp.Call{{Tool: "get", Args: json.RawMessage(`{"x":1}`)}, {Tool: "patch", Input: "text"}}, Tokens: &mp.Tokens{Input: 7, Cached: 3, Output: 2},
	}}})
	s := c.Responses.NewStreaming(t.Context(), asking("hi"))
	defer s.Close()
	var text string
	var final responses.Response
	sequence := int64(-1)
	for s.Next() {
		e := s.Current()
		require.Greater(t, e.SequenceNumber, sequence)
		sequence = e.SequenceNumber
		switch e := e.AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text += e.Delta
		case responses.ResponseCompletedEvent:
			final = e.Response
		}
	}
	require.NoError(t, s.Err())
	require.Equal(t, "Hello 1", text)
	require.Equal(t, "Hello 1", final.OutputText())
	require.EqualValues(t, 9, final.Usage.TotalTokens)
	require.EqualValues(t, 3, final.Usage.InputTokensDetails.CachedTokens)
	var kinds []string
	for _, it := range final.Output {
		kinds = append(kinds, it.Type)
	}
	require.Equal(t, []string{"reasoning", "message", "function_call", "custom_tool_call"}, kinds)
	require.Equal(t, `{"x":1}`, final.Output[2].AsFunctionCall().Arguments)
}

func TestOpenAIPlain(t *testing.T) {
	c, _ := openaiClient(t, sayN)
	r, err := c.Responses.New(t.Context(), asking("hi"))
	require.NoError(t, err)
	require.Equal(t, "reply 1", r.OutputText())
	require.Equal(t, responses.ResponseStatusCompleted, r.Status)
}

func TestOpenAIRetriesAreAttempts(t *testing.T) {
	c, srv := openaiClient(t, &mp.Script{Replies: []mp.Reply{
		{To: mp.Turn, Times: 1, Attempts: []mp.Reply{{Status: 500, Headers: map[string]string{"retry-after-ms": "1"}}, {Say: []string{"second try"}}}},
		{To: mp.Turn, Times: 1, Say: []string{"follow-up"}},
	}})
	r, err := c.Responses.New(t.Context(), asking("hi"))
	require.NoError(t, err)
	require.Equal(t, "second try", r.OutputText(), "a retry does not eat the next reply")
	r, err = c.Responses.New(t.Context(), asking("more"))
	require.NoError(t, err)
	require.Equal(t, "follow-up", r.OutputText())
	require.Empty(t, srv.Unused())
}

func TestOpenAIErrors(t *testing.T) {
	c, _ := openaiClient(t, &mp.Script{Replies: []mp.Reply{{To: mp.Turn, Status: 400, End: "failed:context_length_exceeded", Message: "too long"}}})
	_, err := c.Responses.New(t.Context(), asking("hi"))
	var api *openai.Error
	require.True(t, errors.As(err, &api))
	require.Equal(t, "context_length_exceeded", api.Code)
	require.Equal(t, "too long", api.Message)
	require.Equal(t, 400, api.StatusCode)
}

func TestOpenAIModels(t *testing.T) {
	c, _ := openaiClient(t, &mp.Script{Models: raws(`{"slug":"gpt-x"}`, `{"slug":"gpt-y"}`)})
	list, err := c.Models.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list.Data, 2)
	one, err := c.Models.Get(t.Context(), "gpt-y")
	require.NoError(t, err)
	require.Equal(t, "gpt-y", one.ID)
}

func TestOpenAICompact(t *testing.T) {
	c, _ := openaiClient(t, &mp.Script{Replies: []mp.Reply{{To: mp.AnyCompaction, Say: []string{"SUMMARY"}}}})
	r, err := c.Responses.Compact(t.Context(), responses.ResponseCompactParams{
		Model: "gpt-x", Input: responses.ResponseCompactParamsInputUnion{OfString: openai.String("hi")},
	})
	require.NoError(t, err)
	last := r.Output[len(r.Output)-1]
	require.Equal(t, "compaction", last.Type)
	require.Equal(t, "SUMMARY", last.EncryptedContent)

	v2, err := c.Responses.New(t.Context(), responses.ResponseNewParams{Model: "gpt-x", Input: responses.ResponseNewParamsInputUnion{
		OfInputItemList: responses.ResponseInputParam{
			responses.ResponseInputItemParamOfMessage("hi", responses.EasyInputMessageRoleUser),
			{OfCompactionTrigger: &responses.ResponseInputItemCompactionTriggerParam{}},
		},
	}})
	require.NoError(t, err)
	require.Len(t, v2.Output, 1)
	require.Equal(t, "compaction", v2.Output[0].Type)
}

func create(text, previous, lane string) responses.ResponsesClientEventResponseCreateParam {
	p := responses.ResponsesClientEventResponseCreateParam{Model: "gpt-x"}
	p.Input.OfString = openai.String(text)
	if previous != "" {
		p.PreviousResponseID = openai.String(previous)
	}
	if lane != "" {
		p.StreamID = openai.String(lane)
	}
	return p
}

func TestOpenAIWebSocket(t *testing.T) {
	c, srv := openaiClient(t, &mp.Script{Replies: []mp.Reply{
		{To: mp.Turn, Match: mp.Match{User: &mp.Text{Contains: "slow"}}, Holds: []mp.Hold{{Gate: "g"}}, Say: []string{"slow reply"}},
		{To: mp.Turn, Say: []string{"reply ${n}"}},
	}})
	ctx := t.Context()
	conn, err := c.Responses.Connect(ctx, responses.ResponseConnectionOptions{})
	require.NoError(t, err)
	defer conn.Abort()

	warm := create("", "", "")
	warm.Generate = param.NewOpt(false)
	require.NoError(t, conn.Create(ctx, warm))
	r, err := conn.FinalResponse(ctx)
	require.NoError(t, err)
	for n := 1; n <= 2; n++ {
		require.NoError(t, conn.Create(ctx, create("hi", r.ID, "")))
		r, err = conn.FinalResponse(ctx)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("reply %d", n), r.OutputText())
	}

	a, err := conn.Lane("a")
	require.NoError(t, err)
	b, err := conn.Lane("b")
	require.NoError(t, err)
	require.NoError(t, conn.Create(ctx, create("slow", "", "a")))
	require.NoError(t, conn.Create(ctx, create("fast", r.ID, "b")))
	fast, err := b.FinalResponse(ctx)
	require.NoError(t, err)
	require.Contains(t, fast.OutputText(), "reply")
	_, err = srv.Journal().Wait(ctx, 0, func(e mp.Entry) bool { return e.Kind == mp.Held })
	require.NoError(t, err)
	require.Equal(t, 1, srv.Release(mp.Release{Gate: "g"}))
	slow, err := a.FinalResponse(ctx)
	require.NoError(t, err)
	require.Equal(t, "slow reply", slow.OutputText())

	require.NoError(t, conn.Create(ctx, create("hi", "resp_unknown", "")))
	_, err = conn.FinalResponse(ctx)
	var protocol *responses.ResponseProtocolError
	require.True(t, errors.As(err, &protocol), "%v", err)
}

func ExampleServer() {
	srv := &mp.Server{Script: &mp.Script{Replies: []mp.Reply{
		{To: mp.Turn, Match: mp.Match{User: &mp.Text{Contains: "weather"}}, Say: []string{"It rains."}},
	}}}
	hs := httptest.NewServer(srv)
	defer hs.Close()
	defer srv.Close()

	client := openai.NewClient(option.WithBaseURL(hs.URL+"/v1"), option.WithAPIKey("none"), option.WithMaxRetries(0))
	reply, err := client.Responses.New(context.Background(), responses.ResponseNewParams{
		Model: "any",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("How is the weather?")},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(reply.OutputText())

	_, err = client.Responses.New(context.Background(), responses.ResponseNewParams{
		Model: "any",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Who are you?")},
	})
	var refused *openai.Error
	errors.As(err, &refused)
	fmt.Println(refused.Message)
	// Output:
	// It rains.
	// no reply for turn 2 of agent main (POST /v1/responses); nearest is reply[0]: user: want some text with "weather", got "Who are you?"
}
