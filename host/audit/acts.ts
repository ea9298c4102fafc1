/** What a plugin did, put together from the record: one entry for each thing it did, however often (SPEC P9). */

import {
  isJsonObject,
  type JsonObject,
  normalizePath,
  type PermissionBases,
  type PermissionKind,
  type Requirement,
} from "../../manifests/mod.ts";

/** The kinds that a plugin in the sandbox can hold, and so the only ones that are learned. */
export const LEARNED_KINDS = ["read", "write", "net", "env", "tools", "mcp"] as const;
/** One of `LEARNED_KINDS`. */
export type LearnedKind = Extract<PermissionKind, (typeof LEARNED_KINDS)[number]>;

/** The same act, as often as it was done. */
export interface Act {
  readonly kind: LearnedKind;
  /** An absolute path, `host:port`, or a name. The plugin's own text: make it inert before it is shown. */
  readonly value: string;
  readonly method?: string;
  /** Bare name of the tool that did it, where the record says so. */
  readonly tool?: string;
  readonly count: number;
  /** How many of them were refused. */
  readonly refused: number;
  /** A layer that no grant can change, where one refused it. */
  readonly refusedBy?: string;
  /** The first few. */
  readonly calls: readonly string[];
}

/** What was recorded. */
export interface RecordedActs {
  readonly acts: readonly Act[];
  readonly calls: number;
  /** Milliseconds since the epoch; absent where nothing was recorded. */
  readonly since?: number;
  readonly until?: number;
  /** Acts that were too many to be looked at, or too long. */
  readonly dropped: number;
}

/** Whose acts are collected. */
export interface CollectorOptions {
  readonly plugin: string;
  /** What a tool's arguments name: those are checked too, whether the tool then uses them or not (SPEC C5). */
  readonly requires: (tool: string) => readonly Requirement[];
  /** Acts in a session's own workspace count as acts in this one. */
  readonly bases: Pick<PermissionBases, "workspace" | "plugin">;
  /** Copies of the plugin whose acts count as the plugin's own. */
  readonly isCopy?: (path: string) => string | undefined;
}

/** Whose acts are collected, as a service thread is asked for them. */
export interface ActQuery extends Pick<CollectorOptions, "plugin" | "bases"> {
  /** By the bare name of a tool. */
  readonly requires: ReadonlyMap<string, readonly Requirement[]>;
}

/** Reads events one by one. */
export interface ActCollector {
  /** Anything that is no event of the plugin is passed over. */
  add(event: JsonObject): void;
  collected(): RecordedActs;
}

/** Far more than a person reads; a plugin that floods gets no more attention than this. */
const MAX_ACTS = 5_000;
const MAX_REMEMBERED = 20_000;
const MAX_VALUE = 4_096;
const MAX_CALLS = 5;

/** Layers whose refusal is about what was asked for or granted: what is learned. Others stay in force whatever is granted. */
const GRANTABLE: ReadonlySet<string> = new Set(["manifest", "tool", "user grant", "learn maximum"]);

interface Growing {
  count: number;
  refused: number;
  refusedBy?: string;
  readonly calls: string[];
}

/** Bounded: what it remembers does not grow with the record. */
export function createActCollector(options: CollectorOptions): ActCollector {
  const acts = new Map<string, Growing & Pick<Act, "kind" | "value" | "method" | "tool">>();
  const workspaces = new Map<string, string>();
  const tools = new Map<string, string>();
  let calls = 0;
  let dropped = 0;
  let since: number | undefined;
  let until: number | undefined;

  function take(found: Pick<Act, "kind" | "value" | "method" | "tool">, callId: string, refusedBy?: string): void {
    const key = JSON.stringify([found.tool ?? null, found.kind, found.method ?? null, found.value]);
    const known = acts.get(key);
    if ((known === undefined && acts.size >= MAX_ACTS) || found.value.length > MAX_VALUE) {
      dropped++;
      return;
    }
    const act = known ?? { ...found, count: 0, refused: 0, calls: [] };
    if (known === undefined) acts.set(key, act);
    act.count++;
    if (refusedBy !== undefined) {
      act.refused++;
      if (!GRANTABLE.has(refusedBy)) act.refusedBy = refusedBy;
    }
    if (act.calls.length < MAX_CALLS && !act.calls.includes(callId)) act.calls.push(callId);
  }

  /** The same place in the project's own workspace, or in the plugin's own folder. */
  function placed(path: string, sessionId: string): string {
    const workspace = workspaces.get(sessionId);
    const here = options.bases.workspace;
    if (workspace !== undefined && here !== undefined && workspace !== here && isBelow(path, workspace))
      return `${here}${path.slice(workspace.length)}`;
    const inside = options.isCopy?.(path);
    return inside === undefined || options.bases.plugin === undefined ? path : `${options.bases.plugin}${inside}`;
  }

  /** What the arguments name has been asked for before the tool ran; where it was refused, it never did. */
  function called(payload: JsonObject, callId: string, sessionId: string): void {
    const refusedBy = typeof payload["code"] === "string" ? "user grant" : undefined;
    if (refusedBy !== undefined && payload["code"] !== "fs_denied" && payload["code"] !== "net_denied") return;
    calls++;
    const tool = text(payload["tool"]).split(".").at(-1) ?? "";
    remember(tools, callId, tool);
    const args = payload["arguments"];
    if (!isJsonObject(args)) return;
    for (const { capability, arg } of options.requires(tool)) {
      const named = Object.hasOwn(args, arg) ? args[arg] : undefined;
      // A sandboxed plugin runs no program, so there is nothing to learn of one.
      if (typeof named !== "string" || capability === "run") continue;
      const path = capability === "net" ? undefined : normalizePath(named, workspaces.get(sessionId) ?? options.bases.workspace ?? "/");
      const value = path === undefined ? hostOf(named) : placed(path, sessionId);
      if (value !== undefined) take({ kind: capability, value, tool }, callId, refusedBy);
    }
  }

  function acted(payload: JsonObject, callId: string, sessionId: string): void {
    const kind = LEARNED_KINDS.find((known) => known === payload["permission"]);
    if (kind === undefined) return;
    const written = text(payload["value"]);
    const method = text(payload["method"]);
    const tool = tools.get(callId);
    take(
      {
        kind,
        value: kind === "read" || kind === "write" ? placed(written, sessionId) : written,
        ...(method !== "" && { method }),
        ...(tool !== undefined && { tool }),
      },
      callId,
      payload["decision"] === "denied" ? text(payload["layer"]) : undefined,
    );
  }

  return {
    add(event) {
      const { type, payload } = event;
      const [callId, sessionId] = [text(event["callId"]), text(event["sessionId"])];
      if (!isJsonObject(payload)) return;
      if (type === "session.opened") return remember(workspaces, sessionId, text(payload["workspace"]));
      if (event["plugin"] !== options.plugin) return;
      // More than a call's budget of rows.
      if (type === "capability.summed" && typeof payload["rows"] === "number") dropped += payload["rows"];
      const isCall = type === "tool.called" || type === "tool.denied";
      if (!isCall && type !== "capability.used" && type !== "capability.denied") return;
      const time = event["time"];
      if (typeof time === "number") {
        since = Math.min(since ?? time, time);
        until = Math.max(until ?? time, time);
      }
      if (isCall) called(payload, callId, sessionId);
      else acted(payload, callId, sessionId);
    },
    collected: () => ({
      acts: [...acts.values()],
      calls,
      dropped,
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    }),
  };
}

/** True for the folder itself and everything below it. */
export function isBelow(path: string, folder: string): boolean {
  return folder === "/" || path === folder || path.startsWith(`${folder}/`);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The oldest is forgotten first. */
function remember(known: Map<string, string>, key: string, value: string): void {
  const [oldest] = known.keys();
  if (known.size >= MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  known.set(key, value);
}

/** `host:port` of a URL, or a host as it is written. */
function hostOf(named: string): string | undefined {
  if (!/^https?:\/\//i.test(named)) return named;
  if (!URL.canParse(named)) return undefined;
  const { hostname, port, protocol } = new URL(named);
  return `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
}
