package plan

import "encoding/json"

// schema is a JSON Schema, or a part of one.
type schema map[string]any

func anyOf(list ...schema) schema { return schema{"anyOf": list} }

func ref(name string) schema { return schema{"$ref": "#/$defs/" + name} }

// schema is the JSON Schema of a kind of table.
func (k kind[T]) schema() schema {
	properties, must := schema{}, []string{}
	for _, key := range k.keys {
		properties[key.name] = explained(key.schema, key.use)
		if key.must {
			must = append(must, key.name)
		}
	}
	s := schema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(must) > 0 {
		s["required"] = must
	}
	return s
}

// Schema is the JSON Schema of scenario files, for editors.
func Schema() []byte {
	root := topKind().schema()
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Heldstream scenario"
	attempt := replyKind().schema()
	delete(attempt, "required")
	root["$defs"] = schema{
		"text": textSchema(), "axis": schema{"type": "string", "pattern": `^\$\{[^}]+\}$`},
		"reply": replyKind().schema(), "attempt": attempt, "wire": wireKind().schema(), "step": stepSchema(),
		"expect": expectKind().schema(), "expect_if": expectIfSchema(), "known_failure": knownKind().schema(),
	}
	out, err := json.MarshalIndent(loosened(root), "", "  ")
	if err != nil {
		panic(err) // maps, lists and texts always have a JSON form
	}
	return append(out, '\n')
}

// stepSchema allows one action with the keys that go with any.
func stepSchema() schema {
	s := commonStepKeys().schema()
	properties := s["properties"].(schema)
	var one []schema
	for _, a := range actions() {
		properties[a.name] = explained(a.schema, a.use)
		one = append(one, schema{"required": []string{a.name}})
		for _, b := range a.beside {
			properties[b.name] = explained(b.schema, b.use)
		}
	}
	s["oneOf"] = one
	return s
}

func expectIfSchema() schema {
	s := expectKind().schema()
	s["properties"].(schema)["when"] = whenSchema()
	s["required"] = []string{"when"}
	return s
}

// explained is a schema with the text that an editor shows.
func explained(s schema, use string) schema {
	out := schema{"description": use}
	for name, part := range s {
		out[name] = part
	}
	return out
}

// loosened allows the name of an axis wherever a value stands.
func loosened(s schema) schema {
	out := schema{}
	for name, part := range s {
		switch part := part.(type) {
		case schema:
			if name == "properties" || name == "$defs" {
				out[name] = loosenedMembers(part, name == "properties")
			} else {
				out[name] = orAxis(part)
			}
		case []schema:
			list := make([]schema, len(part))
			for i := range part {
				list[i] = loosened(part[i])
			}
			out[name] = list
		default:
			out[name] = part
		}
	}
	return out
}

func loosenedMembers(members schema, values bool) schema {
	out := schema{}
	for name, part := range members {
		if s := part.(schema); values {
			out[name] = orAxis(s)
		} else {
			out[name] = loosened(s)
		}
	}
	return out
}

func orAxis(s schema) schema {
	_, isRef := s["$ref"]
	if isRef || len(s) == 0 || s["type"] == "array" || s["type"] == "string" && s["pattern"] == nil && s["enum"] == nil {
		return loosened(s)
	}
	inner := loosened(s)
	use := inner["description"]
	delete(inner, "description")
	out := anyOf(inner, ref("axis"))
	if use != nil {
		out["description"] = use
	}
	return out
}
