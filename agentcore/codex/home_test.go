package codex_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"

	"github.com/heldstream/heldstream/agentcore/codex"
)

func configOf(t *testing.T, h *codex.Home) map[string]any {
	t.Helper()
	b, err := h.ConfigTOML()
	require.NoError(t, err)
	var conf map[string]any
	require.NoError(t, toml.Unmarshal(b, &conf))
	return conf
}

func TestHomeConfig(t *testing.T) {
	for _, c := range []struct {
		name string
		home codex.Home
		want map[string]any // some of it, by dotted path
	}{
		{"quiet", codex.Home{}, map[string]any{
			"analytics.enabled": false, "features.apps": false, "features.plugins": false,
			"check_for_update_on_startup": false, "sandbox_mode": "workspace-write", "model": "mock-model",
			"model_providers.mock.request_max_retries": int64(0), "model_providers.mock.supports_websockets": false,
		}},
		{"the user's word counts, table by table", codex.Home{Config: map[string]any{
			"features": map[string]any{"apps": true}, "model": "mine",
		}}, map[string]any{"features.apps": true, "features.plugins": false, "model": "mine"}},
		{"openai is told by its name", codex.Home{Provider: codex.ProviderConfig{Kind: "openai", BaseURL: "http://x/v1"}}, map[string]any{
			"model_provider": "mock", "model_providers.mock.name": "OpenAI", "model_providers.mock.base_url": "http://x/v1",
		}},
		{"bedrock", codex.Home{Provider: codex.ProviderConfig{Kind: "bedrock", BaseURL: "http://x/v1"}}, map[string]any{
			"model_provider": "amazon-bedrock", "model_providers.amazon-bedrock.base_url": "http://x/v1",
		}},
		{"sockets, for old versions too", codex.Home{Provider: codex.ProviderConfig{BaseURL: "http://x/v1", WebSocket: true}}, map[string]any{
			"features.responses_websockets_v2": true, "features.apps": false, "model_providers.mock.supports_websockets": true,
		}},
		{"a login", codex.Home{Auth: "chatgpt", Provider: codex.ProviderConfig{BaseURL: "http://x/v1"}}, map[string]any{
			"model_providers.mock.requires_openai_auth": true, "chatgpt_base_url": "http://x",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf := configOf(t, &c.home)
			for path, want := range c.want {
				var v any = conf
				for _, key := range strings.Split(path, ".") {
					v = v.(map[string]any)[key]
				}
				require.Equal(t, want, v, path)
			}
		})
	}
}

func TestHomePrepare(t *testing.T) {
	h := &codex.Home{
		Root: t.TempDir(), Auth: "chatgpt", AgentsMD: "be kind", Catalog: []json.RawMessage{[]byte(`{"slug":"m"}`)},
		Files: map[string][]byte{codex.RolloutPath("t1"): []byte("{}")},
	}
	require.NoError(t, h.Prepare())
	require.NoError(t, h.Prepare(), "a home may be prepared again")
	for name, part := range map[string]string{
		"config.toml": "model_catalog_json", "AGENTS.md": "be kind", codex.RolloutPath("t1"): "{}",
	} {
		b, err := os.ReadFile(filepath.Join(h.Dir(), name))
		require.NoError(t, err)
		require.Contains(t, string(b), part)
	}
	var auth struct{ Tokens struct{ ID_token string } }
	b, err := os.ReadFile(filepath.Join(h.Dir(), "auth.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &auth))
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(auth.Tokens.ID_token, ".")[1])
	require.NoError(t, err)
	require.Contains(t, string(claims), "https://api.openai.com/auth")

	outside := &codex.Home{Root: t.TempDir(), Files: map[string][]byte{"../escape": nil}}
	require.ErrorContains(t, outside.Prepare(), "name it by its path inside CODEX_HOME")
	unknown := &codex.Home{Root: t.TempDir(), Auth: "magic"}
	require.EqualError(t, unknown.Prepare(), `login "magic": it is none, apikey or chatgpt`)
}

// TestHomeEnvironIsAllThereIs: 13.Y7.
func TestHomeEnvironIsAllThereIs(t *testing.T) {
	t.Setenv("SECRET", "leak")
	h := &codex.Home{Root: "/r", Proxy: "http://127.0.0.1:1", Env: map[string]string{"MORE": "1"}}
	require.Equal(t, []string{
		"ALL_PROXY=http://127.0.0.1:1", "CODEX_HOME=/r/home", "HOME=/r/home", "HTTPS_PROXY=http://127.0.0.1:1",
		"HTTP_PROXY=http://127.0.0.1:1", "LANG=C.UTF-8", "MORE=1", "NO_PROXY=127.0.0.1,localhost,::1",
		"PATH=/usr/local/bin:/usr/bin:/bin", "RUST_LOG=warn", "TMPDIR=/r/tmp", "TZ=UTC",
		"all_proxy=http://127.0.0.1:1", "http_proxy=http://127.0.0.1:1", "https_proxy=http://127.0.0.1:1",
		"no_proxy=127.0.0.1,localhost,::1",
	}, h.Environ())
}

func TestTrap(t *testing.T) {
	var told []string
	trap, err := codex.StartTrap(func(host string) { told = append(told, host) })
	require.NoError(t, err)
	proxy, err := url.Parse(trap.URL())
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy), DisableKeepAlives: true}}
	for range 2 {
		res, err := client.Get("http://plain.invalid/x")
		require.NoError(t, err)
		_, _ = io.Copy(io.Discard, res.Body)
		require.NoError(t, res.Body.Close())
		require.Equal(t, http.StatusForbidden, res.StatusCode)
	}
	_, err = client.Get("https://secure.invalid/")
	require.ErrorContains(t, err, "Forbidden")
	require.NoError(t, trap.Close())
	require.Equal(t, []string{"plain.invalid", "secure.invalid:443"}, trap.Hosts())
	require.Len(t, told, 3)
}

func TestQuirksOf(t *testing.T) {
	for version, want := range map[string]codex.Quirks{
		"0.111.0":       {LegacyMirror: true, SwallowsCompactSteer: true},
		"0.130.0":       {Reviews: true},
		"0.153.3":       {Reviews: true, EchoesClientID: true},
		"0.159.1":       {Reviews: true, EchoesClientID: true, ClosesReplaced: true, KeepsFailed: true},
		"0.171.0":       {Reviews: true, EchoesClientID: true, ClosesReplaced: true, KeepsFailed: true, InstantInterrupt: true, KeepsInterrupted: true},
		"0.172.0-rc1":   {Reviews: true, EchoesClientID: true, ClosesReplaced: true, KeepsFailed: true, InstantInterrupt: true, KeepsInterrupted: true},
		"what is this?": codex.QuirksOf("0.171.0"),
	} {
		want.Version = version
		require.Equal(t, want, codex.QuirksOf(version))
	}
}
