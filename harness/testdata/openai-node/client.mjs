// Asks a model through OpenAI's own package: the prompt stands in the environment,
// as do the base URL and the key, and the answer is printed.
import OpenAI from "openai";

const client = new OpenAI({ maxRetries: 0 });
try {
  const stream = await client.responses.create({ model: "mock-model", input: process.env.HELDSTREAM_PROMPT, stream: true });
  for await (const event of stream) {
    if (event.type === "response.output_text.done") console.log(event.text);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
