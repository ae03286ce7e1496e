package plan

// schema is a JSON Schema, or a part of one.
type schema map[string]any

func anyOf(list ...schema) schema { return schema{"anyOf": list} }

func ref(name string) schema { return schema{"$ref": "#/$defs/" + name} }

// schema is the JSON Schema of a kind of table.
func (k kind[T]) schema() schema {
	properties, must := schema{}, []string{}
	for _, key := range k.keys {
		s := schema{"description": key.use}
		for name, part := range key.schema {
			s[name] = part
		}
		properties[key.name] = s
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
