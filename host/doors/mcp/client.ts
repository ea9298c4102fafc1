/** One client of the door: its session, and what the door remembers for it. */

import type { Host } from "../../host/host-interface.ts";
import type { ToolListing } from "../../tools/listing.ts";
import type { LayerRules } from "../../../manifests/mod.ts";
import type { Slices } from "../../platform/platform.ts";
import type { Session } from "../../call/session.ts";
import type { HostSessionOptions } from "../../dispatch/sessions.ts";

/** Which revision of the protocol it speaks: `legacy` is 2025-11-25 and before. */
export type Era = "legacy" | "modern";

/** One connection, or all requests of the current revision over HTTP with one token. */
export interface McpClient {
  /** Waits for what narrows the session, if that is still to come. */
  session(): Promise<Session>;
  /** Asks which folders the session's files lie in, unless it is known; undefined: wherever they are granted. */
  narrow(ask: () => Promise<readonly string[] | undefined>): void;
  /** The client opened or closed a folder: the next call asks again. */
  forgetRoots(): void;
  /** What it may see now, by public names. */
  tools(): Promise<ReadonlyMap<string, ToolListing>>;
  /** The same, as it was when the registry last changed: who only looks up a name need not have policy asked about every tool. */
  known(): Promise<ReadonlyMap<string, ToolListing>>;
  /**
   * The qualified name of the tool with this public name, also of one that it may not see or that cannot run. A bare name is good
   * where one tool that it sees has it, and it was never told that name for another: calls meant for that tool reach no other.
   */
  qualifiedName(name: string): Promise<string | undefined>;
  /** Calls that wait for an approval from elsewhere, by what was called: a repeat asks what became of it (SPEC E6). */
  readonly asked: Map<string, string>;
  /** Calls that are being answered, also those whose connection broke. */
  running: number;
  /** It is gone: what it runs is cancelled. */
  end(): Promise<void>;
}

/** Whose client it is. */
export interface ClientOptions {
  readonly host: Host;
  readonly session: HostSessionOptions;
  readonly platform: { readonly slices: Slices };
}

/** Lists of folders whose sessions are kept: a client that goes back and forth opens no new ones. */
const MAX_NARROWED = 16;
/** Of a client that was told more names than that, none is looked up as a bare one. */
const MAX_TOLD = 20_000;

/** Sessions are what the door was opened for, and nothing that a client says makes them more. */
export function createClient({ host, session: wish, platform }: ClientOptions): McpClient {
  const whole = host.session(wish);
  let current: Promise<Session> = Promise.resolve(whole);
  let isNarrowed = false;
  const narrowed = new Map<string, Session>();
  let known: Promise<ReadonlyMap<string, ToolListing>> | undefined;
  let all: Promise<ReadonlyMap<string, string>> | undefined;
  /** Public names that it was told. */
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
