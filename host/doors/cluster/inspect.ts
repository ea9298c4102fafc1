/** Looks at a cluster for `bascule doctor`: who is there, what they hold, and where they disagree (SPEC CL1, CL6). */

import { headOf } from "../../cluster/heads.ts";
import { seenMembers, type SeenMember } from "../../cluster/heartbeat.ts";
import { type KeyList, openLink, sendersOf } from "../../cluster/link.ts";
import { BEAT_MS } from "../../cluster/names.ts";
import type { Identity } from "../../platform/bus/identity-types.ts";
import type { Platform } from "../../platform/platform.ts";
import { count } from "../../primitives/text.ts";

/** A cluster as its heartbeats show it. */
export interface SeenCluster {
  readonly cluster: string;
  readonly url: string;
  /** Milliseconds of one round trip to the server. */
  readonly roundTripMs: number;
  readonly members: readonly SeenMember[];
  readonly problems: readonly string[];
}

interface InspectOptions {
  readonly platform: Platform;
  readonly identity: Identity;
  readonly url: string;
  readonly cluster: string;
  /** Listed members; this host is one of them for itself. */
  readonly members: KeyList;
  /** Plugins that this host sends there, by digest. */
  readonly wanted: ReadonlyMap<string, string>;
}

const CONNECT_MS = 3_000;
/** A heartbeat of a correct clock is at most this old. */
const OLDEST_MS = BEAT_MS + 2_000;
const NEWEST_MS = 1_000;

/** @throws {BusError} if the server does not answer */
export async function inspectCluster(options: InspectOptions): Promise<SeenCluster> {
  const { platform, identity, url, cluster, members: listed, wanted } = options;
  const identities = await platform.identities();
  const open = { buses: platform.buses, platform, identities, identity, servers: [url], cluster, name: "bascule doctor" };
  const link = await openLink({ ...open, connectMs: CONNECT_MS });
  try {
    const roundTripMs = await link.bus.roundTrip();
    const senders = new Map([...sendersOf(listed), [identity.publicKey, "this host"]]);
    const { members, problems } = await seenMembers(link, senders);
    return {
      ...{ cluster, url, roundTripMs, members },
      problems: [...problems, ...clockProblems(members, platform.clock.now()), ...disagreements(members), ...missing(members, wanted)],
    };
  } finally {
    await link.close();
  }
}

/** Returns the newest row of this host's journal that the members have seen. @throws {BusError} if the server does not answer */
export async function readHead(options: Omit<InspectOptions, "wanted">): ReturnType<typeof headOf> {
  const { platform, identity, url, cluster, members } = options;
  const identities = await platform.identities();
  const open = { buses: platform.buses, platform, identities, identity, servers: [url], cluster, name: "bascule audit" };
  const link = await openLink({ ...open, connectMs: CONNECT_MS });
  try {
    return await headOf(link, identity.publicKey, new Map([...sendersOf(members), [identity.publicKey, "this host"]]));
  } finally {
    await link.close();
  }
}

function clockProblems(members: readonly SeenMember[], now: number): readonly string[] {
  return members
    .filter(({ at }) => now - at > OLDEST_MS || at - now > NEWEST_MS)
    .map(
      ({ name, at }) =>
        `The clock of the member "${name}" and this one differ by about ${Math.round(Math.abs(now - at) / 1000)} s (set both by NTP)`,
    );
}

function disagreements(members: readonly SeenMember[]): readonly string[] {
  const differ = (what: string, of: (member: SeenMember) => string): readonly string[] => {
    const groups = Map.groupBy(members, of);
    if (groups.size < 2) return [];
    const shown = [...groups.values()].map((group) => group.map(({ name }) => name).join(", ")).join(" | ");
    return [`Members have different ${what}: ${shown}`];
  };
  return [
    ...differ("policies, so a call depends on who runs it", ({ policy }) => policy),
    ...differ("versions of bascule", ({ version }) => version),
  ];
}

function missing(members: readonly SeenMember[], wanted: ReadonlyMap<string, string>): readonly string[] {
  const held = new Set(members.flatMap(({ digests }) => digests));
  return [...wanted]
    .filter(([digest]) => !held.has(digest))
    .map(([digest, plugin]) => `No member holds the version of "${plugin}" that this host sends there (${digest.slice(0, 12)})`);
}

/** One line for each member. */
export function clusterLines({ cluster, url, roundTripMs, members }: SeenCluster): readonly string[] {
  return [
    `${cluster} at ${url}  ${roundTripMs.toFixed(1)} ms, ${count(members.length, "member")}`,
    ...members.map(
      ({ name, version, digests, calls }) => `${name}  ${version}, ${count(digests.length, "plugin")}, ${count(calls, "call")}`,
    ),
  ];
}
