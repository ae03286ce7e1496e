// An adapter between Heldstream and an agent manager in TypeScript. The messages
// are explained in ../managers.md. Replace `Manager` by yours; the rest stays.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

interface CodexState { agent: string; pid: number; lines: number; exited: boolean }
type Call = { id: number; agent: string } & (
  | { call: "create"; cwd: string; codex_bin: string; codex_home: string; base_url: string }
  | { call: "send"; message: string; text: string; behavior: string }
  | { call: "interrupt" }
  | { call: "compact" }
  | { call: "sync"; codex: CodexState[] }
);
type Event =
  | { event: "state"; agent: string; state: "idle" | "running" | "error" }
  | { event: "turn"; agent: string; turn: string; status: string; error?: string }
  | { event: "row"; agent: string; kind: string; text?: string; status?: string; turn?: string };
interface Sent { gives: "started" | "steered" | "queued"; turn: string }

const write = (line: object) => process.stdout.write(JSON.stringify(line) + "\n");
const tell = (event: Event) => write(event);

type Params = Record<string, any>; // codex's own messages, of which only a few members are read

/** One codex for one agent: your manager's client stands here. */
class Manager {
  lines = 0; // read from codex; a sync waits for it
  exited = false;
  private child?: ChildProcess;
  private last = 0;
  private thread = "";
  private turn = "";
  private calls = new Map<number, { done: (result: Params) => void; failed: (error: Error) => void }>();
  private ended: (() => void)[] = [];
  private compacting = false;

  constructor(readonly agent: string, private readonly changed: () => void) {}
  get pid() { return this.child?.pid; }

  async create(bin: string, home: string, cwd: string) {
    const child = spawn(bin, ["app-server"], { env: { ...process.env, CODEX_HOME: home }, stdio: ["pipe", "pipe", "inherit"] });
    this.child = child;
    createInterface({ input: child.stdout }).on("line", (line) => { this.take(JSON.parse(line)); this.lines++; this.changed(); });
    child.on("close", () => { this.exited = true; tell({ event: "state", agent: this.agent, state: "error" }); this.changed(); });
    await this.ask("initialize", { clientInfo: { name: "adapter", version: "1" }, capabilities: { experimentalApi: true } });
    this.put({ method: "initialized" });
    this.thread = (await this.ask("thread/start", { cwd })).thread.id;
    tell({ event: "state", agent: this.agent, state: "idle" });
  }

  async send(text: string, behavior: string): Promise<Sent> {
    const input = [{ type: "text", text }];
    if (this.turn && behavior === "steer") {
      const { turnId } = await this.ask("turn/steer", { threadId: this.thread, expectedTurnId: this.turn, input });
      return this.accepted(text, "steered", turnId);
    }
    if (this.turn) await this.interrupt();
    const { turn } = await this.ask("turn/start", { threadId: this.thread, input });
    this.turn = turn.id;
    tell({ event: "state", agent: this.agent, state: "running" });
    return this.accepted(text, "started", turn.id);
  }

  private accepted(text: string, gives: Sent["gives"], turn: string): Sent {
    tell({ event: "row", agent: this.agent, kind: "user", text, turn });
    return { gives, turn };
  }

  async interrupt() {
    if (!this.turn) return;
    const over = new Promise<void>((done) => this.ended.push(done));
    await this.ask("turn/interrupt", { threadId: this.thread, turnId: this.turn });
    await over;
  }

  async compact() { await this.ask("thread/compact/start", { threadId: this.thread }); }

  private put(message: object) { this.child?.stdin?.write(JSON.stringify(message) + "\n"); }

  private ask(method: string, params: object): Promise<Params> {
    const id = ++this.last;
    return new Promise((done, failed) => { this.calls.set(id, { done, failed }); this.put({ id, method, params }); });
  }

  private take(m: Params) {
    const open = m.method === undefined ? this.calls.get(m.id) : undefined;
    if (open) {
      this.calls.delete(m.id);
      if (m.error) open.failed(new Error(m.error.message)); else open.done(m.result);
      return;
    }
    const { agent } = this;
    const item = m.params?.item;
    if (m.method === "turn/started") tell({ event: "turn", agent, turn: m.params.turn.id, status: "started" });
    if (m.method === "turn/completed") {
      this.turn = "";
      if (this.compacting) tell({ event: "row", agent, kind: "compaction", status: "aborted" });
      this.compacting = false;
      tell({ event: "turn", agent, turn: m.params.turn.id, status: m.params.turn.status, error: m.params.turn.error?.message });
      tell({ event: "state", agent, state: "idle" });
      for (const done of this.ended.splice(0)) done();
    }
    if (item?.type === "contextCompaction") {
      this.compacting = m.method === "item/started";
      tell({ event: "row", agent, kind: "compaction", status: this.compacting ? "running" : "completed" });
    }
    if (item?.type === "agentMessage" && m.method === "item/completed") tell({ event: "row", agent, kind: "assistant", text: item.text });
  }
}

const managers = new Map<string, Manager>();
let syncs: { id: number; codex: CodexState[] }[] = [];

const read = (c: CodexState) => {
  const m = managers.get(c.agent);
  return !m || m.pid !== c.pid || (c.exited ? m.exited : m.lines >= c.lines);
};

/** Answers the syncs that nothing is missing for, once what was read has had its effects. */
const answerSyncs = () => setImmediate(() => {
  const ready = syncs.filter((s) => s.codex.every(read));
  syncs = syncs.filter((s) => !ready.includes(s));
  for (const { id } of ready) write({ id });
});

async function take(c: Call): Promise<object> {
  if (c.call === "create") {
    const m = new Manager(c.agent, answerSyncs);
    managers.set(c.agent, m);
    await m.create(c.codex_bin, c.codex_home, c.cwd);
    return {};
  }
  const m = managers.get(c.agent);
  if (!m) throw new Error(`there is no agent ${c.agent}`);
  switch (c.call) {
    case "send": return m.send(c.text, c.behavior);
    case "interrupt": await m.interrupt(); return {};
    case "compact": await m.compact(); return {};
  }
  throw new Error(`this manager has no ${(c as { call: string }).call}`);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const c = JSON.parse(line) as Call;
  if (c.call === "sync") {
    syncs.push(c);
    answerSyncs();
    return;
  }
  take(c).then((answer) => write({ id: c.id, ...answer }), (e: Error) => write({ id: c.id, error: e.message }));
}).on("close", () => process.exit(0));
