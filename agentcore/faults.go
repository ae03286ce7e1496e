package agentcore

// Fault is a set of mistakes that a Machine makes on purpose, so that tests
// can show that they are found.
type Fault uint

// The faults.
const (
	FaultWaitersEarly   Fault = 1 << iota // a failed start releases its waiters before it is cleared
	FaultSteerRowLate                     // the row of a steer comes after what was said meanwhile
	FaultInterruptNewer                   // a fallback interrupts a turn other than the one it tried to steer
	FaultIdleInReplace                    // idle is told between two turns of a replace
	FaultLostQueued                       // a held prompt is dropped when the turn before it fails
)

// FaultNames are the faults by name.
var FaultNames = map[string]Fault{
	"waiters-early": FaultWaitersEarly, "steer-row-late": FaultSteerRowLate, "interrupt-newer": FaultInterruptNewer,
	"idle-in-replace": FaultIdleInReplace, "lost-queued": FaultLostQueued,
}

func (m *Machine) planted(f Fault) bool { return m.faults&f != 0 }
