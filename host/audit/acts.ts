/** Collects a plugin's acts from the journal: one entry per distinct act (SPEC P9). */

import {
  isJsonObject,
  type JsonObject,
  movedPath,
  normalizePath,
  type PermissionBases,
  type PermissionKind,
  type Requirement,
} from "../../manifests/mod.ts";

/** The kinds that a sandboxed plugin can hold; only these are learned. */
export const LEARNED_KINDS = ["read", "write", "net", "env", "tools", "mcp"] as const;
/** One of `LEARNED_KINDS`. */
export type LearnedKind = Extract<PermissionKind, (typeof LEARNED_KINDS)[number]>;

/** One distinct act, with the number of times it was done. */
export interface Act {
  readonly kind: LearnedKind;
  /** An absolute path, `host:port`, or a name. The plugin's own text: sanitize it before it is shown. */
  readonly value: string;
  readonly method?: string;
  /** Bare name of the tool that did it, if recorded. */
  readonly tool?: string;
  readonly count: number;
  /** Number of refusals among them. */
  readonly refused: number;
  /** Name of a refusing layer that no grant can change, if any. */
  readonly refusedBy?: string;
  /** Ids of the first few calls. */
  readonly calls: readonly string[];
}

/** The acts in a journal. */
export interface RecordedActs {
  readonly acts: readonly Act[];
  readonly calls: number;
  /** Milliseconds since the epoch; absent if nothing was recorded. */
  readonly since?: number;
  readonly until?: number;
  /** Number of acts left out because they were too many or too long. */
  readonly dropped: number;
}

/** Which acts are collected. */
interface CollectorOptions {
  readonly plugin: string;
  /** Returns what a tool's arguments name. These are checked before the call even if the tool does not use them (SPEC C5). */
  readonly requires: (tool: string) => readonly Requirement[];
  /** Acts in the workspace of another session count as acts in this one. */
  readonly bases: Pick<PermissionBases, "workspace" | "plugin">;
  /** Maps a path in a copy of the plugin to the path inside the plugin; undefined for other paths. */
  readonly isCopy?: (path: string) => string | undefined;
}

/** Which acts to collect, as a message to a service thread. */
export interface ActQuery extends Pick<CollectorOptions, "plugin" | "bases"> {
  /** By the bare name of a tool. */
  readonly requires: ReadonlyMap<string, readonly Requirement[]>;
}

/** Collects acts from a stream of events. */
export interface ActCollector {
  /** Ignores everything but events of the plugin. */
  add(event: JsonObject): void;
  collected(): RecordedActs;
}

/** Far more than a user reads; a plugin that floods the journal is cut off here. */
const MAX_ACTS = 5_000;
const MAX_REMEMBERED = 20_000;
const MAX_VALUE = 4_096;
const MAX_CALLS = 5;

/** Layers whose refusals a grant or manifest can lift. All others stay in force whatever is granted. */
const GRANTABLE: ReadonlySet<string> = new Set(["manifest", "tool", "user grant", "learn maximum"]);

interface Growing {
  count: number;
  refused: number;
  refusedBy?: string;
  readonly calls: string[];
}

/** Creates a collector of bounded size, whatever the length of the journal. */
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

  /** Maps the path to the same place in the project's workspace or in the plugin's own folder. */
  function placed(path: string, sessionId: string): string {
    const workspace = workspaces.get(sessionId);
    const here = options.bases.workspace;
    const moved = workspace === undefined || here === undefined || workspace === here ? undefined : movedPath(path, workspace, here);
    if (moved !== undefined) return moved;
    const inside = options.isCopy?.(path);
    return inside === undefined || options.bases.plugin === undefined ? path : `${options.bases.plugin}${inside}`;
  }

  /** Places named by arguments were checked before the tool ran; after a refusal, the tool did not run. */
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
      // Sandboxed plugins cannot run programs, so nothing is learned from them.
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
      // Acts above a call's budget of records.
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

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Forgets the oldest entry first. */
function remember(known: Map<string, string>, key: string, value: string): void {
  const [oldest] = known.keys();
  if (known.size >= MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  known.set(key, value);
}

/** Returns `host:port` of a URL, or a host as written. */
function hostOf(named: string): string | undefined {
  if (!/^https?:\/\//i.test(named)) return named;
  if (!URL.canParse(named)) return undefined;
  const { hostname, port, protocol } = new URL(named);
  return `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
}
