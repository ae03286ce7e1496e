package codex

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Home is all that a codex process finds around it: its folders, its
// configuration and its environment. Nothing of the machine's own leaks in.
type Home struct {
	// Root holds the folders home and tmp. It should not be under the system's
	// temporary folder: codex takes less from there.
	Root string
	// Provider is where the model is.
	Provider ProviderConfig
	// Model is the model's name; "": mock-model, which codex does not know.
	Model string
	// Config is merged over the quiet settings, table by table.
	Config map[string]any
	// Auth is the login: none (also ""), apikey or chatgpt.
	Auth string
	// AgentsMD is the user's AGENTS.md; "": none.
	AgentsMD string
	// Catalog are the entries of the model catalog; nil: codex's own.
	Catalog []json.RawMessage
	// Files are more files of CODEX_HOME, by their path in it. The rollout of a
	// thread belongs at RolloutPath.
	Files map[string][]byte
	// Path is the PATH; "": /usr/local/bin:/usr/bin:/bin.
	Path string
	// Proxy is where requests for outside hosts go: a Trap's URL.
	Proxy string
	// Env is added to the environment.
	Env map[string]string
}

// ProviderConfig describes the model provider to codex.
type ProviderConfig struct {
	// Kind is custom (also ""), openai, azure or bedrock. It decides which
	// compaction codex uses.
	Kind    string
	BaseURL string // with /v1
	// WebSocket lets codex use WebSockets.
	WebSocket      bool
	RequestRetries int
	StreamRetries  int
	IdleTimeout    time.Duration // 0: codex's own
}

const providerID = "mock"

// Dir is CODEX_HOME, and HOME.
func (h *Home) Dir() string { return filepath.Join(h.Root, "home") }

// Sessions is the folder of the rollout files.
func (h *Home) Sessions() string { return filepath.Join(h.Dir(), "sessions") }

// RolloutPath is where codex looks for the conversation of a thread, as a path
// in CODEX_HOME.
func RolloutPath(thread string) string {
	return "sessions/2026/01/01/rollout-2026-01-01T00-00-00-" + thread + ".jsonl"
}

// ConfigTOML is the config.toml that Prepare writes.
func (h *Home) ConfigTOML() ([]byte, error) {
	features := map[string]any{"apps": false, "plugins": false}
	if h.Provider.WebSocket {
		// Without it versions before 0.130.0 speak HTTP; newer ones take no notice.
		features["responses_websockets_v2"] = true
	}
	conf := map[string]any{
		"model":                       h.Model,
		"approval_policy":             "never",
		"sandbox_mode":                "workspace-write",
		"check_for_update_on_startup": false,
		"analytics":                   map[string]any{"enabled": false},
		"features":                    features,
	}
	if h.Model == "" {
		conf["model"] = "mock-model"
	}
	if h.Catalog != nil {
		conf["model_catalog_json"] = h.catalogFile()
	}
	h.Provider.put(conf, h.Auth)
	return toml.Marshal(merge(conf, h.Config))
}

func (p ProviderConfig) put(conf map[string]any, auth string) {
	if p.Kind == "bedrock" {
		conf["model_provider"] = "amazon-bedrock"
		conf["model_providers"] = map[string]any{"amazon-bedrock": map[string]any{"base_url": p.BaseURL}}
		return
	}
	names := map[string]string{"openai": "OpenAI", "azure": "Azure"}
	block := map[string]any{
		"name": "Mock", "base_url": p.BaseURL, "wire_api": "responses",
		"request_max_retries": p.RequestRetries, "stream_max_retries": p.StreamRetries,
		"supports_websockets": p.WebSocket,
	}
	if name, ok := names[p.Kind]; ok {
		block["name"] = name
	}
	if p.IdleTimeout > 0 {
		block["stream_idle_timeout_ms"] = p.IdleTimeout.Milliseconds()
	}
	if auth == "apikey" || auth == "chatgpt" {
		block["requires_openai_auth"] = true
		conf["chatgpt_base_url"] = strings.TrimSuffix(p.BaseURL, "/v1")
	}
	conf["model_provider"] = providerID
	conf["model_providers"] = map[string]any{providerID: block}
}

// merge puts over into base, table by table.
func merge(base, over map[string]any) map[string]any {
	out := maps.Clone(base)
	for k, v := range over {
		b, isTable := out[k].(map[string]any)
		o, overTable := v.(map[string]any)
		if isTable && overTable {
			out[k] = merge(b, o)
		} else {
			out[k] = v
		}
	}
	return out
}

func (h *Home) catalogFile() string { return filepath.Join(h.Root, "models.json") }

// Prepare makes the folders and writes the files. It may be called again, to
// change the configuration of a home that has sessions already.
func (h *Home) Prepare() error {
	conf, err := h.ConfigTOML()
	if err != nil {
		return fmt.Errorf("config.toml of %s: %w", h.Dir(), err)
	}
	files := map[string][]byte{filepath.Join(h.Dir(), "config.toml"): conf}
	if h.Auth != "" && h.Auth != "none" {
		auth, err := authFile(h.Auth)
		if err != nil {
			return err
		}
		files[filepath.Join(h.Dir(), "auth.json")] = auth
	}
	if h.AgentsMD != "" {
		files[filepath.Join(h.Dir(), "AGENTS.md")] = []byte(h.AgentsMD)
	}
	if h.Catalog != nil {
		catalog, err := json.Marshal(map[string]any{"models": h.Catalog})
		if err != nil {
			return fmt.Errorf("model catalog: %w", err)
		}
		files[h.catalogFile()] = catalog
	}
	for name, data := range h.Files {
		if !filepath.IsLocal(name) {
			return fmt.Errorf("file %q: name it by its path inside CODEX_HOME", name)
		}
		files[filepath.Join(h.Dir(), name)] = data
	}
	return h.write(files)
}

func (h *Home) write(files map[string][]byte) error {
	for _, dir := range []string{h.Dir(), h.tmp()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	for name, data := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

func (h *Home) tmp() string { return filepath.Join(h.Root, "tmp") }

// Environ is the whole environment of the process, sorted.
func (h *Home) Environ() []string {
	env := map[string]string{
		"HOME": h.Dir(), "CODEX_HOME": h.Dir(), "TMPDIR": h.tmp(),
		"PATH": h.Path, "LANG": "C.UTF-8", "TZ": "UTC",
		// codex says on stderr when it gives up waiting for a task.
		"RUST_LOG": "warn",
	}
	if h.Path == "" {
		env["PATH"] = "/usr/local/bin:/usr/bin:/bin"
	}
	if h.Proxy != "" {
		for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
			env[name], env[strings.ToLower(name)] = h.Proxy, h.Proxy
		}
		env["NO_PROXY"], env["no_proxy"] = "127.0.0.1,localhost,::1", "127.0.0.1,localhost,::1"
	}
	if h.Provider.Kind == "bedrock" {
		env["AWS_BEARER_TOKEN_BEDROCK"], env["AWS_REGION"] = "mock", "us-east-1"
	}
	maps.Copy(env, h.Env)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(env)) {
		out = append(out, k+"="+env[k])
	}
	return out
}

// Command starts `codex app-server` in this home, in the folder dir.
func (h *Home) Command(agent, dir string, args ...string) Command {
	return Command{Agent: agent, Args: append([]string{"app-server"}, args...), Env: h.Environ(), Dir: dir}
}
