// The lines between Heldstream and an adapter, as types.

export interface CodexState { agent: string; pid: number; lines: number; exited: boolean }

interface Opening { cwd: string; codex_bin: string; codex_home: string; base_url: string; model: string; mode: string; thinking: string; system_prompt: string }
export type Open = Opening & ({ call: "create" } | { call: "resume"; thread: string });

export type Call = { id: number; agent: string } & (
  | Open
  | { call: "send"; message: string; text: string; behavior: string; images?: { mime: string; data: string }[] }
  | { call: "interrupt" }
  | { call: "compact" }
  | { call: "respond"; permission: string; allow: boolean; text: string; answers: Record<string, string[]> | null }
  | { call: "set"; name: "mode" | "model" | "thinking"; value: string }
  | { call: "sync"; codex: CodexState[] }
);

export type Event = { agent: string } & (
  | { event: "state"; state: "idle" | "running" | "error"; queued?: number; error?: string }
  | { event: "turn"; turn: string; status: "started" | "completed" | "interrupted" | "failed"; error?: string }
  | { event: "row"; row?: string; kind: "user" | "assistant" | "thought" | "tool" | "compaction" | "error"; name?: string; text?: string; status?: string; turn?: string }
  | { event: "permission"; permission: string; item?: string; text?: string; outcome?: "allowed" | "denied" | "cancelled" }
  | { event: "notice"; level: "error" | "warning"; text: string }
  | { event: "undelivered"; message: string; text: string }
);

/** What a send came to. A queued one has no turn yet. */
export interface Sent { gives: "started" | "steered" | "queued"; turn?: string }

export const write = (line: object) => process.stdout.write(JSON.stringify(line) + "\n");
export const tell = (event: Event) => write(event);
