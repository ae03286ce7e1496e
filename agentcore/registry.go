package agentcore

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/heldstream/heldstream/agentcore/timeline"
)

// registry decides which agent a request is for and whether there is one: ids,
// duplicates, loads that share one read, shutdown. Like Machine it is pure.
type registry struct {
	providers []string
	agents    map[string]*entry
	down      bool
	out       []regEffect
}

// entry is an agent that is live, or whose record is being read.
type entry struct {
	live   bool
	parked []arrival // requests that wait for the record
}

// arrival is a request with what the shell found out about it.
type arrival struct {
	Asked
	fault error // of its folder
	now   time.Time
}

// What the registry reacts to, besides an arrival: a record that was read, and
// a machine that has ended.
type (
	fetched struct {
		id       string
		record   Record
		timeline timeline.Timeline
		err      error
	}
	gone struct{ id string }
	// wrote: a rewrite is done.
	wrote struct {
		rewrite
		err error
	}
	// removed: a remove is done.
	removed struct {
		remove
		err error
	}
)

// regEffect is what the registry wants done: refuse, accept, fetch, birth,
// route, remove, rewrite or rewritten.
type regEffect any

type (
	refuse struct {
		req ReqID
		err error
	}
	accept struct {
		req    ReqID
		result any
	}
	fetch struct {
		id  string
		new bool // for a create: what is left of a timeline goes
	}
	birth struct {
		Birth Birth
		first Asked
	}
	route struct {
		id string
		in Asked
	}
	remove struct {
		id  string
		req ReqID
	}
	// rewrite saves the record of an agent that is not live; rewritten says
	// that it was done.
	rewrite struct {
		file   fetched
		asked  Asked
		result any
	}
	rewritten struct{ rewrite }
)

func newRegistry(providers []string) *registry {
	slices.Sort(providers)
	return &registry{providers: providers, agents: map[string]*entry{}}
}

func (g *registry) step(in any) []regEffect {
	g.out = nil
	switch in := in.(type) {
	case arrival:
		g.arrive(in)
	case fetched:
		g.fetched(in)
	case wrote:
		g.wrote(in)
	case removed:
		g.removed(in)
	case gone:
		delete(g.agents, in.id)
	}
	return g.out
}

func (g *registry) do(e regEffect) { g.out = append(g.out, e) }

var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// operation names a request for people.
func operation(r Request) string {
	_, name, _ := strings.Cut(fmt.Sprintf("%T", r), ".")
	return strings.ToLower(strings.TrimSuffix(name, "Request"))
}

func (g *registry) arrive(a arrival) {
	id := a.Request.agent()
	_, creating := a.Request.(CreateRequest)
	_, loading := a.Request.(LoadRequest)
	e := g.agents[id]
	switch {
	case !uuid.MatchString(id):
		g.do(refuse{a.Req, fmt.Errorf("%s: agentId must be a UUID", operation(a.Request))})
	case g.down && (creating || loading):
		g.do(refuse{a.Req, ErrShuttingDown})
	case e != nil && e.live && creating:
		g.do(refuse{a.Req, saying("Agent with id %s already exists", id)})
	case e == nil:
		g.agents[id] = &entry{parked: []arrival{a}}
		g.do(fetch{id, creating})
	case !e.live:
		e.parked = append(e.parked, a)
	default:
		g.do(route{id, a.Asked})
	}
}

// fetched: what waited for the record goes on, in its order.
func (g *registry) fetched(f fetched) {
	parked := g.agents[f.id].parked
	delete(g.agents, f.id)
	for i, a := range parked {
		if g.agents[f.id] != nil { // the one before brought it to life
			g.arrive(a)
			continue
		}
		switch r := a.Request.(type) {
		case CreateRequest:
			g.create(a, r, f)
		case LoadRequest:
			g.load(a, r, f)
		case DeleteRequest:
			g.do(remove{f.id, a.Req})
			g.hold(f.id, parked[i+1:])
			return
		default:
			if g.stored(a, f) {
				g.hold(f.id, parked[i+1:])
				return
			}
		}
	}
}

// hold lets nothing at an agent until what is stored of it has changed.
func (g *registry) hold(id string, parked []arrival) { g.agents[id] = &entry{parked: parked} }

// stored does to the record what can be done to it, and says whether that must
// be written before anything else is done.
func (g *registry) stored(a arrival, f fetched) (writes bool) {
	err := f.err
	if errors.Is(err, ErrNotFound) {
		err = errUnknown(f.id)
	}
	var result any
	if err == nil {
		result, writes, err = OnRecord(&f.record, a.Request, a.now)
	}
	switch {
	case err != nil:
		g.do(refuse{a.Req, err})
	case writes:
		g.do(rewrite{f, a.Asked, result})
	default:
		g.do(accept{a.Req, result})
	}
	return writes
}

// wrote: on with the requests that waited for it.
func (g *registry) wrote(w wrote) {
	if w.err != nil {
		g.do(refuse{w.asked.Req, w.err})
		g.do(fetch{w.file.id, false})
		return
	}
	g.do(rewritten{w.rewrite})
	g.fetched(w.file)
}

// removed: on with the requests that waited for it.
func (g *registry) removed(r removed) {
	if r.err != nil { // there may be something left
		g.do(refuse{r.req, r.err})
		g.do(fetch{r.id, false})
		return
	}
	g.do(accept{r.req, nil})
	g.fetched(fetched{id: r.id, err: ErrNotFound})
}

func (g *registry) create(a arrival, r CreateRequest, f fetched) {
	switch {
	case f.err == nil:
		g.do(refuse{a.Req, saying("Agent with id %s already exists", f.id)})
		return
	case !errors.Is(f.err, ErrNotFound):
		g.do(refuse{a.Req, f.err})
		return
	case !slices.Contains(g.providers, r.Config.Provider):
		g.do(refuse{a.Req, saying("Unknown provider '%s'. Configured providers: %s", r.Config.Provider, strings.Join(g.providers, ", "))})
		return
	case a.fault != nil:
		g.do(refuse{a.Req, a.fault})
		return
	}
	title := strings.TrimSpace(r.Config.Title)
	if title == "" {
		title = strings.TrimSpace(r.Title)
	}
	r.Config.Model = strings.TrimSpace(r.Config.Model)
	if r.Config.Model == "default" {
		r.Config.Model = ""
	}
	g.birth(a.Asked, Birth{Resume: r.Resume, Record: Record{
		ID: f.id, Provider: r.Config.Provider, Cwd: r.Config.Cwd, Config: r.Config, CreatedAt: a.now, UpdatedAt: a.now,
		Title: title, Labels: r.Labels,
	}})
}

func (g *registry) load(a arrival, r LoadRequest, f fetched) {
	switch {
	case errors.Is(f.err, ErrNotFound):
		g.do(refuse{a.Req, &Error{ErrNotFound, "Agent not found: " + f.id}})
		return
	case f.err != nil:
		g.do(refuse{a.Req, f.err})
		return
	case !slices.Contains(g.providers, f.record.Provider):
		g.do(refuse{a.Req, saying("Agent %s references unavailable provider '%s'", f.id, f.record.Provider)})
		return
	case a.fault != nil && !r.HistoryOnly:
		g.do(refuse{a.Req, a.fault})
		return
	}
	if r.Config != nil {
		f.record.Config = r.Config.over(f.record.Config)
	}
	readOnly := r.HistoryOnly || f.record.ArchivedAt != nil
	g.birth(a.Asked, Birth{Record: f.record, Resume: f.record.Handle, HistoryOnly: readOnly, Timeline: f.timeline})
}

func (g *registry) birth(first Asked, b Birth) {
	b.Fresh = first.Fresh
	g.agents[b.Record.ID] = &entry{live: true}
	g.do(birth{b, first})
}

// liveIDs are the ids of the live agents, in order.
func (g *registry) liveIDs() []string {
	var ids []string
	for _, id := range sortedKeys(g.agents) {
		if g.agents[id].live {
			ids = append(ids, id)
		}
	}
	return ids
}
