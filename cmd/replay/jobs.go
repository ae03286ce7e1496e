package main

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// liveBytes is what a live variant takes, most of it codex.
const liveBytes = 150 << 20

// defaultJobs is how many variants can be played at once: no more than there
// are cores, since codex drops a task that is slow to end, and no more than fit
// into the free memory.
func defaultJobs() int {
	jobs := runtime.NumCPU()
	if free := freeMemory(); free > 0 {
		jobs = min(jobs, int(free/liveBytes))
	}
	return max(1, jobs)
}

// freeMemory is the memory that new processes can have, in bytes; 0 where the
// system does not say.
func freeMemory() int64 {
	data, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) > 1 && f[0] == "MemAvailable:" {
			kib, _ := strconv.ParseInt(f[1], 10, 64)
			return kib << 10
		}
	}
	return 0
}
