package report

import (
	"encoding/json"
	"strings"
)

// Axis is one axis of a scenario's matrix with the value that a variant has.
type Axis struct {
	Name, Value string
}

// Variant is one combination of a scenario's axes, in the order of its file.
type Variant []Axis

// String gives NAME=VALUE, separated by commas; it is empty for a scenario
// without axes.
func (v Variant) String() string {
	var parts []string
	for _, a := range v {
		parts = append(parts, a.Name+"="+a.Value)
	}
	return strings.Join(parts, ",")
}

// MarshalJSON gives one object that keeps the order of the axes.
func (v Variant) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, a := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, a.Name)
		b = append(b, ':')
		b = appendString(b, a.Value)
	}
	return append(b, '}'), nil
}

func appendString(b []byte, s string) []byte {
	text, _ := json.Marshal(s) // a string always has a JSON form
	return append(b, text...)
}
