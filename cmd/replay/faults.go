package main

import (
	"fmt"

	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/harness/report"
)

// faulty prints faults and returns the exit that they ask for, nil when all of
// them are warnings. On GitHub they stand as annotations at their lines too.
func faulty(s streams, faults plan.Faults) error {
	if len(faults) > 0 {
		fmt.Fprintln(s.err, faults.Error())
	}
	if onGitHub() {
		for _, f := range faults {
			_ = report.WriteRemarkAnnotation(s.err, remark(f)) // the text is there already
		}
	}
	return ofFaults(faults)
}

func ofFaults(faults plan.Faults) error {
	if len(faults.Errors()) > 0 {
		return &exit{code: report.ExitUsage}
	}
	return nil
}

func remark(f plan.Fault) report.Remark {
	r := report.Remark{File: f.File, Line: f.Line, Column: f.Column, Severity: "error", Message: f.Message}
	if f.Warning {
		r.Severity = "warning"
	}
	return r
}

// scripts are the files that have no step, so that there is nothing to run.
func scripts(plans []*plan.Plan) plan.Faults {
	var faults plan.Faults
	for _, p := range plans {
		said := len(faults) > 0 && faults[len(faults)-1].File == p.File
		if p.IsScript() && !said {
			faults = append(faults, plan.Fault{
				Pos:     plan.Pos{File: p.File, Line: 1, Column: 1},
				Message: "this file has no step, so there is nothing to run; `replay serve` takes it, or add a [[step]]",
			})
		}
	}
	return faults
}
