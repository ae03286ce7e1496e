package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"reflect"
	"slices"

	"github.com/heldstream/heldstream/agentcore/codex/tape"
	"github.com/heldstream/heldstream/harness/plan"
)

// Parts is a hash of all in a plan that codex can notice: how it and the agents
// are set up, the replies, the wire and the steps. Expectations, texts for
// readers and places in the file do not count: they may change, and the tape is
// still good.
func Parts(p *plan.Plan) string {
	h := sha256.New()
	setup := p.Codex
	setup.Version = "" // the tape's head has it
	for _, part := range []any{
		p.Subject, p.Provider, setup, p.Manager, p.Workspace, p.Agents, p.Script, p.Wire, steps(p.Steps),
	} {
		dump(h, reflect.ValueOf(part))
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil))
}

// steps leaves out what only judges.
func steps(all []plan.Step) []plan.Step {
	var kept []plan.Step
	for _, s := range all {
		if _, judges := s.Action.(*plan.ExpectNow); judges {
			continue
		}
		s.Gives, s.Index = nil, 0
		kept = append(kept, s)
	}
	return kept
}

// counts leaves out what no tape knows: places, and what the language had not
// yet when tapes were recorded and a plan does not use.
func counts(f reflect.StructField, v reflect.Value) bool {
	tag := f.Tag.Get("tape")
	return f.Type != pos && f.Type.Kind() != reflect.Func && tag != "-" && (tag != "omitempty" || !v.IsZero())
}

var pos = reflect.TypeFor[plan.Pos]()

// dump writes a value so that two write the same only if they are.
func dump(h hash.Hash, v reflect.Value) {
	if !v.IsValid() {
		fmt.Fprint(h, "nil;")
		return
	}
	fmt.Fprintf(h, "%s:", v.Type())
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		dump(h, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); counts(f, v.Field(i)) {
				fmt.Fprintf(h, "%s=", f.Name)
				dump(h, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(h, "%d[", v.Len())
		for i := range v.Len() {
			dump(h, v.Index(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		fmt.Fprintf(h, "%d{", len(keys))
		for _, k := range keys {
			fmt.Fprintf(h, "%q=", fmt.Sprint(k))
			dump(h, v.MapIndex(k))
		}
	case reflect.String:
		fmt.Fprintf(h, "%q;", v.String())
	default:
		fmt.Fprintf(h, "%v;", v)
	}
}

// Texts are all texts in a part of a plan.
func Texts(part any) []string {
	var all []string
	walkTexts(reflect.ValueOf(part), func(text string) { all = append(all, text) })
	return all
}

func walkTexts(v reflect.Value, f func(string)) {
	if v.IsValid() && v.Type() == reflect.TypeFor[json.RawMessage]() {
		if inner, err := tape.Decode(v.Bytes()); err == nil {
			v = reflect.ValueOf(inner)
		}
	}
	switch v.Kind() {
	case reflect.String:
		f(v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walkTexts(v.Elem(), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			walkTexts(v.Field(i), f)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walkTexts(v.Index(i), f)
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			walkTexts(it.Value(), f)
		}
	}
}
