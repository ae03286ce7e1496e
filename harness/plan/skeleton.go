package plan

// New is a scenario to start from: it passes as it stands.
func New(name string) []byte {
	return []byte(`# ` + name + `: replay run plays this file, replay help file explains it.

about = "A prompt reaches the model, and its answer the user."

# What the fake model answers: the first reply that matches and has uses left.
# A gate (hold = "NAME") keeps an answer back until a step releases it.

[[reply]]
to  = "turn"
say = "Hello from reply ${n}."

# What happens. run sends a prompt and waits for the end of its turn; send goes
# on at once, and settle = true waits until all that can happen has happened.

[[step]]
run = "Say hello."

# What must be true afterwards.

[expect]
turns     = ["completed"]
requests  = { turn = 1 }
delivered = ["Say hello."]
timeline  = ["user: Say hello.", "assistant: Hello from reply 1."]
`)
}
