// One agent with its codex: your manager's client stands here.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Event, Open, Sent } from "./lines.js";

type Params = Record<string, any>; // codex's own messages, of which only a few members are read
type Told = Event extends infer E ? E extends Event ? Omit<E, "agent"> : never : never;

export class Agent {
  lines = 0; // read from codex; a sync waits for it
  exited = false;
  private left = false;
  private child?: ChildProcess;
  private last = 0;
  private calls = new Map<number, { done: (result: Params) => void; failed: (error: Error) => void }>();
  private thread = "";
  private turn = "";
  private starting?: Promise<unknown>;
  private settings: Params = {}; // of the turns to come
  private queue: string[] = [];
  private ended: (() => void)[] = [];
  private asks = new Map<string, number>(); // of codex, not answered: the id of the request, by item
  private compacting = false;

  constructor(private readonly name: string, private readonly report: (event: Event) => void, private readonly changed: () => void) {}

  get pid() { return this.child?.pid; }

  async open(c: Open) {
    const child = spawn(c.codex_bin, ["app-server"], { env: { ...process.env, CODEX_HOME: c.codex_home }, stdio: ["pipe", "pipe", "inherit"] });
    this.child = child;
    createInterface({ input: child.stdout }).on("line", (line) => { this.take(JSON.parse(line)); this.lines++; this.changed(); });
    child.on("close", () => this.gone());
    if (c.model) this.settings.model = c.model;
    await this.ask("initialize", { clientInfo: { name: "adapter", version: "1" }, capabilities: { experimentalApi: true } });
    this.put({ method: "initialized" });
    const [method, more] = c.call === "resume" ? ["thread/resume", { threadId: c.thread }] : ["thread/start", {}];
    this.thread = (await this.ask(method, { cwd: c.cwd, ...more })).thread.id;
    this.state("idle");
  }

  /** Ends the codex of a conversation that a new one goes on with. */
  leave() {
    this.left = true;
    this.child?.stdin?.end();
  }

  async send(text: string, behavior: string): Promise<Sent> {
    await this.starting?.catch(() => {});
    if (this.turn && behavior === "steer") {
      const { turnId } = await this.ask("turn/steer", { threadId: this.thread, expectedTurnId: this.turn, input: [{ type: "text", text }] });
      return this.accepted(text, "steered", turnId);
    }
    if (this.turn && behavior === "queue") {
      this.queue.push(text);
      this.state("running");
      return { gives: "queued" };
    }
    if (this.turn) await this.interrupt();
    return this.start(text);
  }

  private async start(text: string): Promise<Sent> {
    this.state("running");
    const asked = this.ask("turn/start", { threadId: this.thread, input: [{ type: "text", text }], ...this.settings });
    this.starting = asked;
    try {
      this.turn = (await asked).turn.id;
    } catch (e) {
      this.state("idle");
      throw e;
    } finally {
      this.starting = undefined;
    }
    return this.accepted(text, "started", this.turn);
  }

  private accepted(text: string, gives: Sent["gives"], turn: string): Sent {
    this.tell({ event: "row", kind: "user", text, turn });
    return { gives, turn };
  }

  /** Returns when the turn is over. */
  async interrupt() {
    if (!this.turn) return;
    const over = new Promise<void>((done) => this.ended.push(done));
    await this.ask("turn/interrupt", { threadId: this.thread, turnId: this.turn });
    await over;
  }

  async compact() { await this.ask("thread/compact/start", { threadId: this.thread }); }

  respond(permission: string, allow: boolean) {
    const id = this.asks.get(permission);
    if (id === undefined) throw new Error(`nothing named ${permission} is asked`);
    this.asks.delete(permission);
    this.put({ id, result: { decision: allow ? "accept" : "decline" } });
    this.tell({ event: "permission", permission, item: permission, outcome: allow ? "allowed" : "denied" });
  }

  set(name: string, value: string) {
    const of = { model: "model", thinking: "effort" }[name];
    if (!of) throw new Error(`this manager cannot set ${name}`);
    this.settings[of] = value;
  }

  private tell(event: Told) { this.report({ ...event, agent: this.name } as Event); }
  private state(state: "idle" | "running") { this.tell({ event: "state", state, queued: this.queue.length }); }
  private put(message: object) { this.child?.stdin?.write(JSON.stringify(message) + "\n"); }

  private ask(method: string, params: object): Promise<Params> {
    const id = ++this.last;
    return new Promise((done, failed) => { this.calls.set(id, { done, failed }); this.put({ id, method, params }); });
  }

  private gone() {
    this.exited = true;
    if (!this.left) {
      for (const { failed } of this.calls.values()) failed(new Error("codex has exited"));
      if (this.turn) this.over(this.turn, "failed", "codex has exited");
      this.tell({ event: "state", state: "error", error: "codex has exited" });
    }
    this.changed();
  }

  private take(m: Params) {
    const p = m.params ?? {};
    if (m.method === undefined) {
      const open = this.calls.get(m.id);
      this.calls.delete(m.id);
      if (m.error) open?.failed(new Error(m.error.message)); else open?.done(m.result);
      return;
    }
    switch (m.method) {
      case "turn/started": // a manual compaction is a turn that no turn/start began
        this.turn = p.turn.id;
        this.tell({ event: "turn", turn: p.turn.id, status: "started" });
        return this.state("running");
      case "turn/completed": return this.completed(p.turn);
      case "item/started": return this.item(p.item, false);
      case "item/completed": return this.item(p.item, true);
      case "item/commandExecution/requestApproval":
      case "item/fileChange/requestApproval":
        this.asks.set(p.itemId, m.id);
        return this.tell({ event: "permission", permission: p.itemId, item: p.itemId, text: p.reason ?? "" });
      case "error": return this.tell({ event: "notice", level: "error", text: p.error?.message ?? "" });
    }
  }

  private completed(turn: Params) {
    this.over(turn.id, turn.status, turn.error?.message);
    const next = this.ended.length === 0 ? this.queue.shift() : undefined;
    if (next !== undefined) {
      this.start(next).catch((e: Error) => this.tell({ event: "notice", level: "error", text: e.message }));
      return;
    }
    this.state("idle");
    for (const done of this.ended.splice(0)) done();
  }

  /** Closes what a turn leaves open. */
  private over(turn: string, status: "completed" | "interrupted" | "failed", error?: string) {
    if (this.compacting) this.tell({ event: "row", kind: "compaction", status: "aborted", turn });
    this.compacting = false;
    for (const permission of this.asks.keys()) this.tell({ event: "permission", permission, item: permission, outcome: "cancelled" });
    this.asks.clear();
    this.turn = "";
    this.tell({ event: "turn", turn, status, error });
  }

  private item(it: Params, done: boolean) {
    const turn = this.turn;
    switch (it.type) {
      case "contextCompaction": // its end is a row of its own
        this.compacting = !done;
        return this.tell({ event: "row", kind: "compaction", status: done ? "completed" : "running", turn });
      case "commandExecution":
        return this.tell({ event: "row", row: it.id, kind: "tool", name: "shell", status: done ? it.status : "running", turn });
      case "agentMessage":
        if (done) this.tell({ event: "row", row: it.id, kind: "assistant", text: it.text, turn });
    }
  }
}
