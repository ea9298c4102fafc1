/** One client of the door: its session, and what the door remembers for it. */

import type { Host } from "../../host.ts";
import type { ToolListing } from "../../listing.ts";
import type { LayerRules } from "../../../manifests/mod.ts";
import type { Session } from "../../session.ts";
import type { HostSessionOptions } from "../../sessions.ts";

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
  /** What it may see now. */
  tools(): Promise<readonly ToolListing[]>;
  /** Calls that wait for an approval from elsewhere, by what was called: a repeat asks what became of it (SPEC E6). */
  readonly asked: Map<string, string>;
}

/** Sessions are what the door was opened for, and nothing that a client says makes them more. */
export function createClient(host: Host, wish: HostSessionOptions): McpClient {
  const whole = host.session(wish);
  let current: Promise<Session> = Promise.resolve(whole);
  let isNarrowed = false;
  return {
    session: () => current,
    narrow(ask) {
      if (isNarrowed) return;
      isNarrowed = true;
      current = ask().then((paths) =>
        paths === undefined ? whole : host.session({ ...wish, layers: [...(wish.layers ?? []), within(paths)] }),
      );
    },
    forgetRoots: () => void (isNarrowed = false),
    tools: async () => host.definitionsFor(await current).filter(({ enabled }) => enabled),
    asked: new Map(),
  };
}

function within(folders: readonly string[]): LayerRules {
  return { name: "MCP roots", permissions: { read: folders, write: folders } };
}
