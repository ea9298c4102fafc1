/** One client of the door: its session and state. */

import type { Host } from "../../host/host-interface.ts";
import type { ToolListing } from "../../tools/listing.ts";
import type { LayerRules } from "../../../manifests/mod.ts";
import type { Slices } from "../../platform/platform.ts";
import type { Session } from "../../call/session.ts";
import type { HostSessionOptions } from "../../dispatch/sessions.ts";

/** Protocol revision of a client: `legacy` is 2025-11-25 and earlier. */
export type Era = "legacy" | "modern";

/** A client: one connection, or all HTTP requests of the current revision with one token. */
export interface McpClient {
  /** Returns the session, once a pending `narrow` has finished. */
  session(): Promise<Session>;
  /** Narrows the session to the folders that `ask` returns, unless they are known. If it returns undefined, only grants limit files. */
  narrow(ask: () => Promise<readonly string[] | undefined>): void;
  /** Makes the next call ask for the folders again, because the client's folders changed. */
  forgetRoots(): void;
  /** Returns the tools that the client may see now, by public name. */
  tools(): Promise<ReadonlyMap<string, ToolListing>>;
  /** Like `tools()`, but cached until the registry changes, so that a lookup by name does not evaluate policy for every tool. */
  known(): Promise<ReadonlyMap<string, ToolListing>>;
  /**
   * Returns the qualified name of the tool with this public name, even if the client may not see it or it cannot run. A bare name
   * works if exactly one visible tool has it and the client was never told that name for another tool, so that no call reaches a tool
   * it was not meant for.
   */
  qualifiedName(name: string): Promise<string | undefined>;
  /** Ids of calls that wait for a confirmation elsewhere, by hash of the request: a repeat gets the call's result (SPEC E6). */
  readonly asked: Map<string, string>;
  /** Number of running calls, including those whose connection broke. */
  running: number;
  /** Ends the client's sessions and cancels their calls. */
  end(): Promise<void>;
}

/** The client's host and session options. */
interface ClientOptions {
  readonly host: Host;
  readonly session: HostSessionOptions;
  readonly platform: { readonly slices: Slices };
}

/** Maximum sessions kept by list of folders, so that a client that switches between folders reuses them. */
const MAX_NARROWED = 16;
/** Maximum names remembered as told; beyond that, bare names are not looked up. */
const MAX_TOLD = 20_000;

/** Creates a client. Its sessions have at most the rights of the door's session options; a client can only narrow them. */
export function createClient({ host, session: wish, platform }: ClientOptions): McpClient {
  const whole = host.session(wish);
  let current: Promise<Session> = Promise.resolve(whole);
  let isNarrowed = false;
  const narrowed = new Map<string, Session>();
  let known: Promise<ReadonlyMap<string, ToolListing>> | undefined;
  let all: Promise<ReadonlyMap<string, string>> | undefined;
  /** Public names that the client was told. */
  const told = new Set<string>();
  const unsubscribe = host.subscribe(({ type }) => {
    if (type === "tool.registered" || type === "tool.unregistered") known = all = undefined;
  });

  function sessionWithin(paths: readonly string[]): Session {
    const key = JSON.stringify(paths.toSorted());
    const session = narrowed.get(key) ?? host.session({ ...wish, layers: [...(wish.layers ?? []), within(paths)] });
    const [oldest] = narrowed;
    if (oldest !== undefined && narrowed.size >= MAX_NARROWED && !narrowed.has(key)) {
      narrowed.delete(oldest[0]);
      void host.endSession(oldest[1]);
    }
    narrowed.set(key, session);
    return session;
  }

  async function tools(): Promise<ReadonlyMap<string, ToolListing>> {
    const seen = host.byExportName(await platform.slices.run(inSlices(host.definitionsEach(await current), ({ enabled }) => enabled)));
    for (const name of seen.keys()) if (told.size < MAX_TOLD) told.add(name);
    return seen;
  }

  async function qualifiedNames(): Promise<ReadonlyMap<string, string>> {
    const tools = host.byExportName(await platform.slices.run(inSlices(host.listEach(), () => true)));
    return new Map(Array.from(tools, ([name, { qualifiedName }]) => [name, qualifiedName]));
  }

  async function qualifiedName(name: string): Promise<string | undefined> {
    const given = (await (all ??= qualifiedNames())).get(name);
    if (given !== undefined || told.has(name) || told.size === MAX_TOLD) return given;
    const [found, ...more] = [...(await (known ??= tools())).values()].filter((tool) => tool.name === name);
    return more.length === 0 ? found?.qualifiedName : undefined;
  }

  return {
    session: () => current,
    narrow(ask) {
      if (isNarrowed) return;
      isNarrowed = true;
      current = ask().then((paths) => (paths === undefined ? whole : sessionWithin(paths)));
    },
    forgetRoots: () => void (isNarrowed = false),
    tools,
    known: () => (known ??= tools()),
    qualifiedName,
    asked: new Map(),
    running: 0,
    async end() {
      unsubscribe();
      await current;
      await Promise.all([whole, ...narrowed.values()].map((session) => host.endSession(session)));
    },
  };
}

function* inSlices(tools: Iterable<ToolListing>, isWanted: (tool: ToolListing) => boolean): Generator<void, readonly ToolListing[]> {
  const wanted: ToolListing[] = [];
  for (const tool of tools) {
    if (isWanted(tool)) wanted.push(tool);
    yield;
  }
  return wanted;
}

function within(folders: readonly string[]): LayerRules {
  return { name: "MCP roots", permissions: { read: folders, write: folders } };
}
