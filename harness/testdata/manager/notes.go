package main

import (
	"errors"
	"maps"
	"slices"
)

// fromCodex takes a line of codex: an answer, a request or a notification.
func (a *agent) fromCodex(o object) {
	a.read++
	id, numbered := o["id"].(float64)
	method, _ := o["method"].(string)
	params, _ := o["params"].(object)
	switch method {
	case "":
		if numbered {
			a.answered(int(id), o)
		}
	case "turn/started": // a manual compaction is a turn that nobody's turn/start began
		a.turn = params["turn"].(object)["id"].(string)
		a.tell("turn", object{"turn": a.turn, "status": "started"})
		a.tell("state", object{"state": "running", "queued": len(a.waiting)})
	case "turn/completed":
		a.completed(params["turn"].(object))
	case "item/started", "item/completed":
		a.item(method == "item/completed", params["item"].(object))
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		item := params["itemId"].(string)
		a.asks[item] = o
		a.tell("permission", object{"permission": item, "item": item, "text": params["reason"]})
	case "error":
		failed, _ := params["error"].(object)
		a.tell("notice", object{"level": "error", "text": failed["message"]})
	}
}

func (a *agent) answered(id int, o object) {
	done := a.calls[id]
	delete(a.calls, id)
	result, _ := o["result"].(object)
	var err error
	if failed, ok := o["error"].(object); ok {
		err = errors.New(failed["message"].(string))
	}
	done(result, err)
}

func (a *agent) completed(turn object) {
	why := ""
	if failed, ok := turn["error"].(object); ok {
		why, _ = failed["message"].(string)
	}
	a.over(turn["id"].(string), turn["status"].(string), why)
	if len(a.waiting) > 0 {
		next := a.waiting[0]
		a.waiting = a.waiting[1:]
		a.begin(next)
		return
	}
	a.tell("state", object{"state": "idle"})
}

// over closes what a turn leaves open.
func (a *agent) over(turn, status, why string) {
	if a.compacting {
		a.compacting = false
		a.tell("row", object{"kind": "compaction", "status": "aborted", "turn": turn})
	}
	for _, item := range slices.Sorted(maps.Keys(a.asks)) {
		a.tell("permission", object{"permission": item, "item": item, "outcome": "cancelled"})
	}
	clear(a.asks)
	a.turn = ""
	a.tell("turn", object{"turn": turn, "status": status, "error": why})
}

func (a *agent) item(done bool, item object) {
	row := object{"row": item["id"], "turn": a.turn}
	switch item["type"] {
	case "contextCompaction":
		a.compacting = !done
		row["kind"], row["status"] = "compaction", map[bool]string{false: "running", true: "completed"}[done]
		delete(row, "row") // its end is a row of its own
	case "commandExecution":
		row["kind"], row["name"], row["status"] = "tool", "shell", item["status"]
		if !done {
			row["status"] = "running"
		}
	case "agentMessage":
		if !done {
			return
		}
		row["kind"], row["text"] = "assistant", item["text"]
	default:
		return
	}
	a.tell("row", row)
}
