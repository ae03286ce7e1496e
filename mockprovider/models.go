package mockprovider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

func isModels(path string) bool {
	return strings.HasSuffix(path, "/models") || strings.Contains(path, "/models/")
}

// modelsAnswer lists the models, or tells of one. The list has both forms:
// Codex reads models, OpenAI's clients read data.
func modelsAnswer(models []json.RawMessage, path string) answer {
	if _, id, one := strings.Cut(path, "/models/"); one {
		return modelAnswer(models, id)
	}
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int    `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	list := struct {
		Object string            `json:"object"`
		Data   []entry           `json:"data"`
		Models []json.RawMessage `json:"models"`
	}{"list", []entry{}, append([]json.RawMessage{}, models...)}
	for _, m := range models {
		list.Data = append(list.Data, entry{modelID(m), "model", 0, "heldstream"})
	}
	body, _ := json.Marshal(list) // the entries are JSON by Check
	return withETag(jsonAnswer(http.StatusOK, body))
}

func modelAnswer(models []json.RawMessage, id string) answer {
	for _, m := range models {
		if modelID(m) == id {
			var entry map[string]any
			_ = json.Unmarshal(m, &entry)
			entry["id"], entry["object"] = id, "model"
			body, _ := json.Marshal(entry)
			return withETag(jsonAnswer(http.StatusOK, body))
		}
	}
	return errorAnswer(http.StatusNotFound, "model_not_found", "the script has no model "+id)
}

func modelID(entry []byte) string {
	m := gjson.ParseBytes(entry)
	return first(m.Get("id").Str, m.Get("slug").Str)
}

func withETag(a answer) answer {
	sum := sha256.Sum256(a.body)
	a.headers = maps.Clone(a.headers)
	a.headers["ETag"] = `"` + hex.EncodeToString(sum[:8]) + `"`
	return a
}
