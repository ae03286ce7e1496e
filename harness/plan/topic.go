package plan

import "slices"

// topic is a page of help.
type topic struct {
	name, title string
	intro       string              // paragraphs
	example     string              // TOML that parses
	tables      func() []topicTable // they are read by few who ask for the names
}

type topicTable struct {
	head    string
	doc     tableDoc
	example string
}

// Topics are the names that Help knows, in the order to read them in.
func Topics() []string {
	var names []string
	for _, t := range topics() {
		names = append(names, t.name)
	}
	return names
}

func topics() []topic {
	return []topic{fileTopic(), repliesTopic(), stepsTopic(), expectTopic(), wireTopic(), matrixTopic(), setupTopic(), subjectTopic()}
}

func fileTopic() topic {
	return topic{
		name: "file", title: "A scenario file",
		intro: "A scenario says what a fake model answers, what happens to an agent, and what must be true afterwards. " +
			"It is TOML; a key that is not listed here is a fault.\n\n" +
			"Texts may hold names: ${n} in a reply is the number of the request among its agent, thread and class; " +
			"${workspace} is the agent's folder; ${agent.NAME.id}, ${agent.NAME.thread} and ${agent.NAME.turn} (the running one) are an agent's ids; ${hold.NAME} is " +
			"a shell command that stands at a gate, for a tool to run; ${AXIS} is the value of an axis, and keeps its type when it stands alone. " +
			"A long text can be written as { repeat = \"x\", times = 12_000 }.\n\n" +
			"A file without steps is a script: replay serve takes it.",
		example: fileExample,
		tables: func() []topicTable {
			return []topicTable{{head: "keys of the file", doc: topKind().doc()}, {head: "[[known_failure]]", doc: knownKind().doc()}, {head: "[invariants]", doc: invariantsKind().doc()}}
		},
	}
}

const fileExample = `about = "A message reaches the model, and its answer the user."

[[reply]]
to  = "turn"
say = "Hello."

[[step]]
run = "Say hello."

[expect]
timeline = ["user: Say hello.", "assistant: Hello."]
`

func repliesTopic() topic {
	return topic{
		name: "replies", title: "What the model answers: [[reply]]",
		intro: "The first reply that matches a request and has uses left answers it. A request that none matches is refused, and " +
			"fails the run; so does a reply with times that is never used, and a gate that is never released.\n\n" +
			"The next request of the same agent, thread, turn and class is the next attempt of the same reply when the answer before it " +
			"was scripted to fail, or when the client left it and says nothing new. A gate stands before the headers of a " +
			"compaction, and after the headers of the rest, before the first event: a steer cuts a sampling only once its headers have come.",
		example: repliesExample,
		tables: func() []topicTable {
			return []topicTable{
				{head: "keys of a reply", doc: replyKind().doc()}, {head: "match", doc: matchKind().doc()}, {head: "call", doc: callKind().doc()}, {head: "tokens", doc: tokensKind().doc()},
				{head: "think", doc: thinkKind().doc()}, {head: "hold", doc: holdKind().doc()}, {head: "cut", doc: cutKind().doc()}, {head: "frame", doc: frameKind().doc()},
			}
		},
	}
}

const repliesExample = `[[reply]]
to     = "compaction"
hold   = "summary"                     # until a step releases it
say    = "SUMMARY"

[[reply]]
to       = "turn"
times    = 1
match    = { user = "list the files" } # the last user text contains it
call     = [{ tool = "exec_command", args = { cmd = "ls" } }]
attempts = [{ status = 500 }, {}]      # the first try fails, then this

[[reply]]
to     = "turn"
say    = ["I am ", "reply ${n}."]      # two deltas
tokens = 50_000
`

func stepsTopic() topic {
	return topic{
		name: "steps", title: "What happens: [[step]]",
		intro: "Each step has one action, and the next begins when it is done. Only run, await, settle, release and restart wait; " +
			"the others end when the manager has taken them. Order is made by gates and settle, never by sleeping. A step that fails is a " +
			"failure named step.N, counted from 1. After the last step everything settles, codex is closed, and [expect] is judged.",
		example: stepsExample,
		tables:  stepTables,
	}
}

func stepTables() []topicTable {
	tables := []topicTable{{head: "beside any action", doc: commonStepKeys().doc()}}
	for _, a := range actions() {
		tables = append(tables, topicTable{a.name, a.doc(), a.example})
	}
	return tables
}

const stepsExample = `[[reply]]
to   = "turn"
hold = "answer"
say  = "done"

[[step]]
send = "first"
[[step]]
await = { held = "answer" }        # the model has it and is silent
[[step]]
send     = "second"
behavior = "queue"
[[step]]
settle = true                      # all that can happen has happened
[[step]]
release = { gate = "answer", open = true }
[[step]]
await = { state = "idle" }
`

func expectTopic() topic {
	return topic{
		name: "expect", title: "What must be true: [expect]",
		intro: "[expect] is judged at the end, a step expect = {…} at once, [expect.agent.NAME] for one agent. [[expect_if]] has a when, " +
			"and replaces [expect] key by key in the variants that it selects.",
		example: expectExample,
		tables: func() []topicTable {
			return []topicTable{
				{head: "expectations", doc: expectKind().doc()}, {head: "a request", doc: requestWantKind().doc()},
			}
		},
	}
}

const expectExample = `[[reply]]
to  = "turn"
say = "reply ${n}"

[[step]]
run = "first"

[expect]
turns     = ["completed"]
delivered = ["first"]
requests  = [{ class = "turn", user = ["first"], lacks = "second" }]
timeline  = ["user: first", "assistant: *"]
budget    = { requests = 1 }
`

func wireTopic() topic {
	return topic{
		name: "wire", title: "The wire between manager and codex: [[wire]]",
		intro: "A rule does one thing to the messages that it names. What it holds, and all that would follow from it, is not waited for " +
			"by settle.",
		example: wireExample,
		tables: func() []topicTable {
			return []topicTable{{head: "keys of a rule", doc: wireKind().doc()}}
		},
	}
}

const wireExample = `[[reply]]
to  = "turn"
say = "done"

[[wire]]
of    = "turn/start"
what  = "reply"
times = 1
hold  = "started"                  # nobody hears that the turn began

[[step]]
send = "first"
[[step]]
await = { held = "started" }
[[step]]
release = "started"
[[step]]
await = { state = "idle" }
`

func matrixTopic() topic {
	return topic{
		name: "matrix", title: "Variants: [matrix], when, [[exclude]]",
		intro: "Each key of [matrix] is an axis; the file is played once for each combination, but for those that an [[exclude]] selects. " +
			"A when is a table of axes, each with a value or a list of values; a reply, a wire rule, a step, an " +
			"[[expect_if]] and a [[known_failure]] can have one. \"!= x\" is any other value.\n\n" +
			"transport (sse, websocket), compaction (local, remote-v1, remote-v2) and codex (versions) are axes in any file; in [matrix] they " +
			"also set what they stand for. A when on codex takes operators: \"<= 0.159.1\", \">= 0.130.0, < 0.171.0\".",
		example: matrixExample,
		tables:  func() []topicTable { return nil },
	}
}

const matrixExample = `[matrix]
send      = ["steer", "queue"]
transport = ["sse", "websocket"]

[[exclude]]
when = { send = "queue", transport = "websocket" }

[[reply]]
to  = "turn"
say = "done"

[[step]]
send     = "first"
behavior = "${send}"
[[step]]
await = { state = "idle" }

[expect]
turns = 1

[[expect_if]]
when        = { transport = "websocket" }
connections = 1
`

func setupTopic() topic {
	return topic{
		name: "setup", title: "Setting up a run",
		intro:   "All of it can be left out. An include has shared replies and setup; what stands in the file itself counts more.",
		example: setupExample,
		tables: func() []topicTable {
			return []topicTable{
				{head: "[provider]", doc: providerKind().doc()}, {head: "[codex]", doc: codexKind().doc()}, {head: "[manager]", doc: managerKind().doc()},
				{head: "[workspace]", doc: workspaceKind().doc()}, {head: "[[agent]]", doc: agentKind().doc()}, {head: "[realtime]", doc: realtimeKind().doc()}, {head: "[limits]", doc: limitsKind().doc()},
			}
		},
	}
}

const setupExample = `[provider]
kind    = "openai"                 # codex compacts remotely
retries = { stream = 1 }

[codex.config]
model_auto_compact_token_limit = 10_000

[workspace.files]
"notes.txt" = "some text"
"dot.png"   = { png = [2, 2] }

[[agent]]
name = "helper"

[[reply]]
to  = "turn"
say = "done"

[[step]]
agent = "helper"
run   = "first"
`

func subjectTopic() topic {
	return topic{
		name: "subject", title: "What is tested: [subject]",
		intro: "Without it, or with subject = \"codex\", codex behind the manager that is built in. \"app-server\" is codex alone, and its " +
			"steps are calls (rpc). \"exec\" is `codex exec --json`, a process a prompt. { command = [...] } is any program, started for " +
			"each prompt: it has the prompt on standard input and in HELDSTREAM_PROMPT, and where the model is in OPENAI_BASE_URL; each line " +
			"of its output is a row of the assistant's, its exit code the end of the turn. { manager = [...] } is an agent manager of your " +
			"own, by an adapter that doc/managers.md describes.\n\n" +
			"Each takes the steps that it can: exec and command run and send, a manager also interrupt, compact, approve, deny, answer, set " +
			"and resume. Steps that only wait or look are for all.",
		example: subjectExample,
		tables: func() []topicTable {
			return []topicTable{{head: "a subject that is a program", doc: subjectKind().doc()}}
		},
	}
}

const subjectExample = `[subject]
command = ["python3", "./ask.py"]  # asks the model, prints its answer
setup   = "pip install openai"
env     = { ASK_MODEL = "any" }

[[reply]]
to  = "turn"
say = "Hello."

[[step]]
run = "Say hello."

[expect]
turns    = ["completed"]
timeline = ["user: Say hello.", "assistant: Hello."]
`

// findTopic finds a page by its name, or one table by the name of its key.
func findTopic(name string) (topic, bool) {
	for _, t := range topics() {
		if t.name == name {
			return t, true
		}
	}
	for _, t := range topics() {
		tables := t.tables()
		if i := slices.IndexFunc(tables, func(tt topicTable) bool { return bare(tt.head) == name }); i >= 0 {
			title := tables[i].head + " (`replay help " + t.name + "` has the whole page)"
			return topic{name: name, title: title, tables: func() []topicTable { return tables[i : i+1] }}, true
		}
	}
	return topic{}, false
}
