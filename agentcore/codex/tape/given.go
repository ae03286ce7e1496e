package tape

import (
	"encoding/json"
)

// GivenBack is the body of an answer in which each item of its output that
// stands in the input asked with is only named by its place there. From tape the
// input's members have another order, and texts of codex's own are their lengths
// only: that the answer has the item is all that both can tell. An answer that
// gives nothing back stays as it is.
func GivenBack(answer, asked []byte) []byte {
	var in struct{ Input []json.RawMessage }
	if json.Unmarshal(asked, &in) != nil || len(in.Input) == 0 {
		return answer
	}
	body, err := Decode(answer)
	if err != nil {
		return answer
	}
	members, _ := body.(map[string]any)
	output, _ := members["output"].([]any)
	if !nameGiven(output, places(in.Input)) {
		return answer
	}
	named, err := Encode(body)
	if err != nil {
		return answer
	}
	return named
}

// places says where each item first stands.
func places(items []json.RawMessage) map[string]int {
	at := map[string]int{}
	for i, item := range items {
		form, err := Canonical(item)
		if _, known := at[string(form)]; err == nil && !known {
			at[string(form)] = i
		}
	}
	return at
}

// nameGiven puts places for the items that have one, and reports whether any has.
func nameGiven(output []any, at map[string]int) bool {
	given := false
	for k, item := range output {
		form, err := Encode(item)
		if i, found := at[string(form)]; err == nil && found {
			output[k], given = map[string]any{"input": i}, true
		}
	}
	return given
}
