// Command replay plays scenario files against codex and says what came of it.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/heldstream/heldstream/harness/codexshim"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == codexshim.Word {
		os.Exit(codexshim.Main(os.Args[2:]))
	}
	// SIGTERM is how CI systems and Kubernetes end a job, SIGHUP is a terminal
	// that closes. A second signal ends replay at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
