package golden_test

import (
	"fmt"

	"github.com/heldstream/heldstream/harness/golden"
)

func ExampleCompare() {
	step := func(lines ...string) golden.File {
		return golden.File{Version: "0.171.0", Sections: []golden.Section{{
			Title: "step 8: release summary",
			Lanes: []golden.Lane{{Name: "timeline main", Lines: lines}},
		}}}
	}
	want := step("user: second turn", "compaction: started", "compaction: completed")
	got := step("user: second turn", "compaction: started", "compaction: aborted")
	fmt.Print(golden.Compare(want, got))
	// Output:
	// step 8: release summary, lane timeline main
	//     user: second turn
	//     compaction: started
	//   - compaction: completed
	//   + compaction: aborted
}

func ExamplePath() {
	steer := []golden.Axis{{Name: "send", Value: "steer"}}
	fmt.Println(golden.Path("scenarios/compaction/issue-5728.toml", steer, ""))
	fmt.Println(golden.Path("scenarios/compaction/issue-5728.toml", steer, "0.159.1"))
	fmt.Println(golden.Path("try/mine.toml", steer, ""))
	// Output:
	// golden/compaction/issue-5728.send=steer.golden
	// golden/compaction/issue-5728.send=steer@0.159.1.golden
	// try/mine.golden/send=steer.golden
}
