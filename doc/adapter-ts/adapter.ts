// An adapter between Heldstream and an agent manager in TypeScript. The messages
// are explained in ../managers.md. Replace `Agent` by your manager's; the rest stays.
import { createInterface } from "node:readline";
import { Agent } from "./agent.js";
import { tell, write } from "./lines.js";
import type { Call, CodexState } from "./lines.js";

const agents = new Map<string, Agent>();
let syncs: { id: number; codex: CodexState[] }[] = [];

/** Whether all that a sync says of a codex was read, or its end was. One that was left counts as read. */
const read = (c: CodexState) => {
  const a = agents.get(c.agent);
  return !a || a.pid !== c.pid || a.exited || (!c.exited && a.lines >= c.lines);
};

/** Answers the syncs that nothing is missing for, once what was read has had its effects. */
const answerSyncs = () => setImmediate(() => {
  const ready = syncs.filter((s) => s.codex.every(read));
  syncs = syncs.filter((s) => !ready.includes(s));
  for (const { id } of ready) write({ id });
});

async function take(c: Exclude<Call, { call: "sync" }>): Promise<object> {
  if (c.call === "create" || c.call === "resume") {
    agents.get(c.agent)?.leave();
    const a = new Agent(c.agent, tell, answerSyncs);
    agents.set(c.agent, a);
    await a.open(c);
    return {};
  }
  const a = agents.get(c.agent);
  if (!a) throw new Error(`there is no agent ${c.agent}`);
  switch (c.call) {
    case "send": return a.send(c.text, c.behavior);
    case "interrupt": await a.interrupt(); return {};
    case "compact": await a.compact(); return {};
    case "respond": a.respond(c.permission, c.allow); return {};
    case "set": a.set(c.name, c.value); return {};
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
