/** One connection to a cluster: its buckets, opened once, and who may send what (SPEC CL1, CL6). */

import type { Bus, BusObjects, Buses, BusValues } from "../platform/bus/bus-types.ts";
import type { Identities, Identity } from "../platform/bus/identity-types.ts";
import type { Platform } from "../platform/platform.ts";
import { bucketOf, CALLS, MEMBERS, VALUES } from "./names.ts";
import { type ClusterValues, createClusterValues } from "./values.ts";

/** Public keys by name, as in `cluster` of `bascule.json`. */
export type KeyList = Readonly<Record<string, string>>;

interface LinkOptions {
  readonly buses: Buses;
  readonly platform: Pick<Platform, "clock" | "sha256" | "random">;
  readonly identities: Identities;
  readonly identity: Identity;
  readonly servers: readonly string[];
  readonly cluster: string;
  /** Shown in the server's list of connections. */
  readonly name: string;
  /** Default: the bus's own. */
  readonly connectMs?: number;
}

export interface Link {
  readonly bus: Bus;
  readonly cluster: string;
  readonly identity: Identity;
  readonly identities: Identities;
  readonly platform: LinkOptions["platform"];
  readonly values: ClusterValues;
  calls(): Promise<BusValues>;
  members(): Promise<BusValues>;
  /** Time since the connection was made or came back; undefined while it is lost. */
  connectedMs(): number | undefined;
  close(): Promise<void>;
}

/** @throws {BusError} if no server answers in time */
export async function openLink(options: LinkOptions): Promise<Link> {
  const { buses, platform, identities, identity, servers, cluster, name, connectMs } = options;
  const { clock, sha256 } = platform;
  let since: number | undefined;
  const onStatus = (status: "connected" | "disconnected"): void => {
    since = status === "connected" ? clock.monotonic() : undefined;
  };
  const bus = await buses.connect({ servers, name, seed: identity.seed, onStatus, ...(connectMs !== undefined && { connectMs }) });
  since ??= clock.monotonic();
  const objects = once(() => bus.objects(bucketOf(cluster, "values"), VALUES));
  return {
    ...{ bus, cluster, identity, identities, platform },
    values: createClusterValues({ objects, sha256 }),
    calls: once(() => bus.values(bucketOf(cluster, "calls"), CALLS)),
    members: once(() => bus.values(bucketOf(cluster, "members"), MEMBERS)),
    connectedMs: () => (since === undefined ? undefined : clock.monotonic() - since),
    close: () => bus.close(),
  };
}

/** Opens a bucket at the first use; a failure is forgotten, so that the next use tries again. */
function once<T extends BusValues | BusObjects>(open: () => Promise<T>): () => Promise<T> {
  let opened: Promise<T> | undefined;
  return () => {
    const opening = (opened ??= open());
    opening.catch(() => {
      if (opened === opening) opened = undefined;
    });
    return opening;
  };
}

/** Returns the names by public key. */
export function sendersOf(keys: KeyList): ReadonlyMap<string, string> {
  return new Map(Object.entries(keys).map(([name, key]) => [key, name]));
}
