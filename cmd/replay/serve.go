package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/heldstream/heldstream/harness"
	"github.com/heldstream/heldstream/harness/plan"
	"github.com/heldstream/heldstream/mockprovider"
	"github.com/heldstream/heldstream/mockprovider/control"
)

type serveFlags struct {
	addr, token string
	set         []string
}

func serveCommand(s streams) *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:   "serve FILE",
		Short: "Serve the replies of a file as a Responses API, until Ctrl-C",
		Long: `serve answers as the file's replies say, to any client. It prints the base URL
and the lines that make codex and an OpenAI SDK use it. A small control API under
` + control.Prefix + ` reads the journal, releases gates and resets, so that a test in
any language can steer it. The file is read again when it or what it includes
changes; a faulty one is reported, and the old replies stay.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return serve(c.Context(), s, f, args[0]) },
	}
	c.Flags().StringVar(&f.addr, "addr", "127.0.0.1:0", "listen here; with an address that is not loopback, give a token")
	c.Flags().StringVar(&f.token, "token", "", "what every control request must bear")
	c.Flags().StringArrayVar(&f.set, "set", nil, "give an axis one value: `AXIS=VALUE`")
	return c
}

func serve(ctx context.Context, s streams, f serveFlags, file string) error {
	relax()
	if err := f.open(); err != nil {
		return err
	}
	// Who connects from now on is answered as soon as the file is read.
	ln, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w; choose another --addr", f.addr, err)
	}
	script, err := f.script(s, file)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	provider := &mockprovider.Server{Script: script}
	defer provider.Close()
	server := &http.Server{Handler: &control.Handler{Server: provider, Token: f.token}, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return server.Serve(ln) })
	group.Go(func() error { return f.reload(ctx, s, provider, "http://"+ln.Addr().String(), file) })
	<-ctx.Done()
	_ = server.Close() // the listener is ours, and nobody waits for its end
	if err := group.Wait(); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// reload tells where the provider is, and gives it the file's replies again
// after each change, until the context ends.
func (f serveFlags) reload(ctx context.Context, s streams, provider *mockprovider.Server, base, file string) error {
	files := func() []string { return harness.Sources([]string{file})[file] }
	reload, err := control.NewReloader(provider, files, func() (*mockprovider.Script, error) { return f.script(s, file) })
	if err != nil {
		return err
	}
	// What is changed once this is read is seen.
	fmt.Fprintf(s.out, clientLines, base)
	return reload.Run(ctx, func(err error) {
		if err != nil {
			fmt.Fprintln(s.err, strings.TrimSpace(err.Error()+"\nthe file is faulty; the old replies stay"))
			return
		}
		fmt.Fprintln(s.err, "read again")
	})
}

// relax lets somewhat more garbage gather than is usual: nearly all that a reply
// takes is garbage once it is sent. With much more, thousands of held streams
// would take more memory than they must.
func relax() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(130)
	}
}

// open refuses to let strangers steer it.
func (f serveFlags) open() error {
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return fmt.Errorf("--addr %q: write HOST:PORT, as 127.0.0.1:8080; port 0 takes a free one", f.addr)
	}
	if ip := net.ParseIP(host); f.token == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--addr %s is not loopback: others could steer it; give a --token, or take 127.0.0.1", f.addr)
	}
	return nil
}

// clientLines are what to tell clients. %[1]s is the address.
const clientLines = `base URL   %[1]s/v1
control    %[1]s` + control.Prefix + `

an OpenAI SDK:
  OPENAI_BASE_URL=%[1]s/v1 OPENAI_API_KEY=none

codex, in config.toml:
  model          = "mock-model"
  model_provider = "heldstream"
  [model_providers.heldstream]
  name     = "Heldstream"
  base_url = "%[1]s/v1"
  wire_api = "responses"
`

// script reads the replies of a file: those of its first variant, which --set
// chooses.
func (f serveFlags) script(s streams, file string) (*mockprovider.Script, error) {
	files, faults := harness.Load([]string{file})
	if len(files) == 0 {
		return nil, faulty(s, faults.Errors())
	}
	set, err := axes(f.set)
	if err != nil {
		return nil, err
	}
	plans, faults := harness.Select(files, harness.Filter{Set: set})
	if err := faulty(s, faults); err != nil {
		return nil, err
	}
	if len(plans) > 1 {
		return nil, fmt.Errorf("%s has %d variants; choose one with --set, such as --set %s", file, len(plans), first(plans[0]))
	}
	return plans[0].Script, nil
}

func first(p *plan.Plan) string { return p.Variant[:1].String() }
