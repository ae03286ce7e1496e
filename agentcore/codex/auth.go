package codex

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// authFile is an auth.json that says nothing true: codex checks no signature.
func authFile(kind string) ([]byte, error) {
	switch kind {
	case "apikey":
		return json.Marshal(map[string]any{"auth_mode": "apikey", "OPENAI_API_KEY": "sk-mock"})
	case "chatgpt":
		return json.Marshal(map[string]any{
			"auth_mode": "chatgpt",
			"tokens": map[string]any{
				"id_token": unsignedJWT(), "access_token": unsignedJWT(),
				"refresh_token": "mock-refresh", "account_id": "mock-account",
			},
			"last_refresh": "2099-01-01T00:00:00Z",
		})
	}
	return nil, fmt.Errorf("login %q: it is none, apikey or chatgpt", kind)
}

func unsignedJWT() string {
	part := func(v map[string]any) string {
		b, _ := json.Marshal(v) // strings and numbers
		return base64.RawURLEncoding.EncodeToString(b)
	}
	const farAway = 4_102_444_800 // 2100-01-01
	return part(map[string]any{"alg": "none", "typ": "JWT"}) + "." + part(map[string]any{
		"exp": farAway, "email": "mock@example.invalid",
		"https://api.openai.com/auth": map[string]any{
			"chatgpt_plan_type": "pro", "chatgpt_account_id": "mock-account", "chatgpt_user_id": "mock-user",
		},
	}) + ".c2ln"
}
