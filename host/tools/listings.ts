/** A host's tools as lists show them, one after another: with thousands of them, a door lets others have their turns in between (SPEC LV2). */

import type { Session } from "../calls/session.ts";
import { exportNames } from "../exports/names.ts";
import type { PolicySource } from "../project/policy-source.ts";
import { listTool, matchesFilter, type ToolFilter, type ToolListing } from "./listing.ts";
import type { Snapshot } from "./snapshot.ts";
import type { RegisteredTool } from "./tool.ts";

/** These are the host's own (`host-interface.ts`). */
export interface Listings {
  list(filter?: ToolFilter): readonly ToolListing[];
  listEach(filter?: ToolFilter): Iterable<ToolListing>;
  definitionsFor(session?: Session): readonly ToolListing[];
  definitionsEach(session?: Session): Iterable<ToolListing>;
  byExportName(tools: readonly ToolListing[]): ReadonlyMap<string, ToolListing>;
}

export interface ListingsOptions {
  readonly snapshot: () => Snapshot;
  readonly policies: Pick<PolicySource, "canUse" | "enrich">;
  readonly defaultSession: () => Session;
}

export function createListings({ snapshot, policies, defaultSession }: ListingsOptions): Listings {
  function* listTools(wanted: (tool: RegisteredTool) => boolean, session: Session): Generator<ToolListing, void> {
    const now = snapshot();
    for (const tool of now.tools) if (wanted(tool)) yield policies.enrich(listTool(tool), now, session);
  }
  const listEach = (filter: ToolFilter = {}): Iterable<ToolListing> => listTools((tool) => matchesFilter(tool, filter), defaultSession());
  const definitionsEach = (session: Session = defaultSession()): Iterable<ToolListing> =>
    listTools((tool) => policies.canUse(tool, session), session);

  return {
    list: (filter) => [...listEach(filter)],
    listEach,
    definitionsFor: (session) => [...definitionsEach(session)],
    definitionsEach,
    byExportName: (tools) => exportNames(tools, snapshot()),
  };
}
