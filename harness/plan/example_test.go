package plan_test

import (
	"fmt"

	"github.com/heldstream/heldstream/harness/plan"
)

func ExampleParse() {
	_, faults := plan.Parse("hello.toml", []byte(`
[[reply]]
to = "turn"
sya = "Hello."

[[step]]
run = "Say hello."

[expect]
delivered = ["Say helo."]
`), nil)
	fmt.Println(faults)
	// Output:
	// hello.toml:4:1: a reply has no key "sya"; did you mean "say"?
	// hello.toml:10:14: no step sends "Say helo."; did you mean "Say hello."?
}

func ExampleFile_Variants() {
	f, _ := plan.Parse("hello.toml", []byte(`
[matrix]
send = ["steer", "queue"]

[[reply]]
to = "turn"

[[step]]
send     = "Say hello."
behavior = "${send}"
`), nil)
	plans, _ := f.Variants(plan.Options{})
	for _, p := range plans {
		fmt.Printf("%s: %+v\n", p.Variant, *p.Steps[0].Action.(*plan.Send))
	}
	// Output:
	// send=steer: {Text:Say hello. Images:[] Attached:[] Behavior:steer ID:}
	// send=queue: {Text:Say hello. Images:[] Attached:[] Behavior:queue ID:}
}
