/** Lists a host's tools one by one: with thousands of tools, a door can yield in between (SPEC LV2). */

import type { Session } from "../call/session.ts";
import { exportNames } from "../tools/exports/names.ts";
import type { Grant } from "../call/grant.ts";
import type { Outlook } from "../policy/policy.ts";
import { classOf } from "../policy/side-effects.ts";
import { PROTECTED_NAMES } from "../policy/protect.ts";
import type { Host } from "./host-interface.ts";
import type { PolicySource } from "./policy-source.ts";
import { listTool, matchesFilter, type ToolFilter, type ToolListing } from "../tools/listing.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import type { RegisteredTool } from "../tools/tool.ts";

export type Listings = Pick<Host, "list" | "listEach" | "definitionsFor" | "definitionsEach" | "byExportName">;

interface ListingsOptions {
  readonly snapshot: () => Snapshot;
  readonly policies: Pick<PolicySource, "canUse" | "outlook">;
  readonly defaultSession: () => Session;
}

/** A listing with the outlook that it was made from. */
interface Row {
  readonly outlook: Outlook;
  readonly listing: ToolListing;
}

export function createListings({ snapshot, policies, defaultSession }: ListingsOptions): Listings {
  // Making a listing takes ten times as long as checking that it is still current.
  const rows = new WeakMap<RegisteredTool, Row>();

  function rowOf(tool: RegisteredTool, session: Session): ToolListing {
    const outlook = policies.outlook(tool, session);
    const known = rows.get(tool);
    if (known !== undefined && showsSame(known.outlook, outlook)) return known.listing;
    const listing = toListing(tool, outlook);
    rows.set(tool, { outlook, listing });
    return listing;
  }

  function* listTools(wanted: (tool: RegisteredTool) => boolean, session: Session): Generator<ToolListing, void> {
    for (const tool of snapshot().tools) if (wanted(tool)) yield rowOf(tool, session);
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

/** Compares by identity: limits and grants stay the same objects until something changes. */
function showsSame(one: Outlook, other: Outlook): boolean {
  if (one === other) return true;
  if (one.kind === "deny" || other.kind === "deny") return one.kind === other.kind;
  return (
    one.route === other.route &&
    one.confinement === other.confinement &&
    one.unavailable === other.unavailable &&
    one.limits === other.limits &&
    one.lacking === other.lacking &&
    grantIn(one) === grantIn(other)
  );
}

function toListing(tool: RegisteredTool, outlook: Outlook): ToolListing {
  if (outlook.kind === "deny") return listTool(tool);
  const names = tool.plugin !== undefined || classOf(tool) === "none" ? undefined : protectedBy(outlook);
  return listTool(tool, names === undefined ? outlook : { ...outlook, protected: names });
}

function protectedBy(outlook: Outlook): readonly string[] | undefined {
  const layer = grantIn(outlook)?.layers.find(({ name }) => name === PROTECTED_NAMES);
  const entry = layer?.permissions.entries.get("read");
  return typeof entry?.deny === "object" ? Object.freeze(entry.deny.map(({ written }) => written)) : undefined;
}

function grantIn(outlook: Outlook): Grant | undefined {
  return outlook.kind === "deny" ? undefined : outlook.grant;
}
