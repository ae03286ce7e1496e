// Command openai-go asks a model through OpenAI's own Go client: the prompt stands
// on standard input, and the answer is printed. The client takes the base URL and
// the key from its environment.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

func main() {
	if err := ask(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func ask() error {
	prompt, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	client := openai.NewClient(option.WithMaxRetries(0))
	stream := client.Responses.NewStreaming(context.Background(), responses.ResponseNewParams{
		Model: "mock-model",
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(string(prompt[:len(prompt)-1]))},
	})
	for stream.Next() {
		if done := stream.Current(); done.Type == "response.completed" {
			fmt.Println(done.Response.OutputText())
		}
	}
	return stream.Err()
}
