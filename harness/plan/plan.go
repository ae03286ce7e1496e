package plan

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/heldstream/heldstream/mockprovider"
)

// Plan is one variant of a scenario, ready to be played. Texts may still hold
// the names that only a run knows: ${n}, ${workspace}, ${hold.NAME} and
// ${agent.NAME.KEY}, where KEY is id, thread or turn.
type Plan struct {
	File    string // as the caller named it
	Variant Variant
	About   string
	Refs    []string
	Tags    []string
	Axes    Axes // what the built-in axes are in this variant

	Subject   Subject
	Provider  Provider
	Codex     Codex
	Manager   Manager
	Workspace Workspace
	Agents    []Agent // "main" is among them when the file lists none or anything is for it
	Limits    Limits

	Script     *mockprovider.Script
	Wire       []WireRule
	Steps      []Step
	Expect     []Expectation
	Known      []KnownFailure  // those that this variant's axes select, in order
	Invariants map[string]bool // those that the file switches, all others are on

	place func(path string) Pos
}

// Place is where the file has what a path into the script names, such as
// reply[2].hold.
func (p *Plan) Place(path string) Pos { return p.place(path) }

// IsScript says that the plan has no steps: it can be served, not run.
func (p *Plan) IsScript() bool { return len(p.Steps) == 0 }

// InvariantOn says whether the invariant NAME is checked.
func (p *Plan) InvariantOn(name string) bool {
	on, set := p.Invariants[name]
	return on || !set
}

// KnownFailure returns the known failure that counts for a codex version: the
// last one that selects it. nil: none does.
func (p *Plan) KnownFailure(codex string) *KnownFailure {
	for i := len(p.Known) - 1; i >= 0; i-- {
		if anyVersion(p.Known[i].Codex, codex) {
			return &p.Known[i]
		}
	}
	return nil
}

// Agent returns the agent of that name, or nil.
func (p *Plan) Agent(name string) *Agent {
	for i := range p.Agents {
		if p.Agents[i].Name == name {
			return &p.Agents[i]
		}
	}
	return nil
}

// Axis is a name and the value that it has in a variant: a string, an int64, a
// float64 or a bool.
type Axis struct {
	Name  string
	Value any
}

// Variant is one combination of the matrix, in the order of the file.
type Variant []Axis

// String is "send=steer,codex=0.171.0"; "" when the file has no matrix.
func (v Variant) String() string {
	parts := make([]string, len(v))
	for i, a := range v {
		parts[i] = a.Name + "=" + axisText(a.Value)
	}
	return strings.Join(parts, ",")
}

// Get returns the value of an axis as text.
func (v Variant) Get(name string) (string, bool) {
	for _, a := range v {
		if a.Name == name {
			return axisText(a.Value), true
		}
	}
	return "", false
}

// Axes are the built-in axes. They have a value in every variant, whether or
// not the matrix names them.
type Axes struct {
	Transport  string // sse, websocket
	Compaction string // local, remote-v1, remote-v2
	Codex      string // a version; "": the newest
}

// Subject is what is tested.
type Subject struct {
	Kind    string   // codex (through our manager), app-server, exec, command, manager
	Command []string // of command and manager
	Setup   string   `tape:"-"` // for readers: what brings it to a machine that lacks it
	Env     map[string]string
}

// Provider says how codex sees the provider.
type Provider struct {
	Kind        string // custom, openai, azure, bedrock
	Login       string // none, apikey, chatgpt
	Transport   string // sse, websocket
	Retries     Retries
	IdleTimeout time.Duration // 0: codex's own
}

// Retries are what codex is configured to try again.
type Retries struct{ Request, Stream int }

// Codex says how codex is set up.
type Codex struct {
	Version  string // "": whatever the run uses
	Config   map[string]any
	Features map[string]bool
	Catalog  []json.RawMessage // the model catalogue, as a file
	AgentsMD string
	Home     map[string]Content // more files of CODEX_HOME
	Env      map[string]string
	Rollouts []Rollout
}

// Rollout is a recorded conversation that an agent resumes.
type Rollout struct {
	Pos   Pos
	Agent string
	Lines []json.RawMessage
}

// Manager says how the manager is set up.
type Manager struct {
	Preset      string // replace, steer-no-wait, steer, queue
	ToolDefault string // what send_agent_prompt does: "" is the preset
	OnLost      string // report, resend
}

// Workspace is the folder that agents work in.
type Workspace struct {
	Files map[string]Content
}

// Content is what a file holds: Text, or a picture of PNG pixels.
type Content struct {
	Text string
	PNG  *[2]int
}

// Agent is an agent that the run starts with.
type Agent struct {
	Pos                   Pos
	Name                  string
	Mode, Model, Thinking string
	SystemPrompt          string
}

// Limits bound a run.
type Limits struct {
	Deadline time.Duration // 0: the runner's own
}

// WireRule is what happens to messages between manager and codex.
type WireRule struct {
	Pos       Pos
	Of        string // method, "*": any
	What      string // request, reply, notification; "": any
	Nth       int    // 0: each
	Times     int    // 0: no end
	Agent     string // "": each
	Hold      string
	KeepOrder bool
	Drop      bool
	Repeat    *Repeat
	Error     *WireError
	After     string // method
	Join      string // method
	Exit      bool
}

// Repeat sends copies of a message.
type Repeat struct {
	Times int
	Hold  string // gate that the copies wait at
}

// WireError answers a request with an error.
type WireError struct {
	Code    int
	Message string
}

// KnownFailure says that a variant fails, and exactly how.
type KnownFailure struct {
	Pos   Pos
	Codex []VersionRange // versions that it is for, one of them; none: all
	Issue string
	Fails []string // expectation keys, step.N, invariant.NAME
}
