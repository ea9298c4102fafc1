/** The door of a cluster: takes calls for the plugins that this host holds and accepts (SPEC CL1). Subscriptions follow every change of them. */

import { readCheckpoints } from "../../audit/checkpoints.ts";
import { type JournalHead, shareHeads } from "../../cluster/heads.ts";
import { openLink, sendersOf } from "../../cluster/link.ts";
import { ClusterMember } from "../../cluster/member.ts";
import { openOwnKey } from "../../cluster/own-key.ts";
import type { Host } from "../../host/host-interface.ts";
import { defectText } from "../../platform/error-text.ts";
import type { Platform } from "../../platform/platform.ts";
import { hashOf } from "../../primitives/json/json-hash.ts";
import { VERSION } from "../../primitives/version.ts";
import type { EventType } from "../../audit/events.ts";
import type { JsonObject } from "../../../manifests/mod.ts";
import { createRunCall, findHeld } from "./run-call.ts";

interface ClusterDoorOptions {
  readonly host: Host;
  readonly platform: Platform;
  readonly url: string;
  readonly cluster: string;
}

export interface ClusterDoor {
  /** Key under which the other hosts list this one. */
  readonly publicKey: string;
  /** Takes no new calls, and waits for those that it has accepted. */
  drain(): Promise<void>;
  /** Leaves the cluster. */
  close(): Promise<void>;
}

/** Changes of what this host holds and accepts. */
const CHANGES: ReadonlySet<EventType> = new Set<EventType>([
  "tool.registered",
  "tool.unregistered",
  "plugin.loaded",
  "plugin.reloaded",
  "plugin.failed",
  "plugin.quarantined",
  "plugin.removed",
  "grant.changed",
  "policy.reloaded",
]);
const SETTLE_MS = 50;
const DRAIN_MS = 30_000;

/** Joins the cluster. @throws {BusError} if the server does not answer @throws {TypeError | FileError} if the key cannot be used */
export async function openClusterDoor({ host, platform, url, cluster }: ClusterDoorOptions): Promise<ClusterDoor> {
  const onDefect = (message: string, error: unknown): void =>
    platform.log.write("warn", message, error === undefined ? {} : { error: defectText(error) });
  const [identities, identity] = [await platform.identities(), await openOwnKey(platform, host.places.clusterKeyFile)];
  const link = await openLink({ buses: platform.buses, platform, identities, identity, servers: [url], cluster, name: "bascule member" });
  const config = (): ReturnType<Host["places"]["project"]["config"]> => host.places.project.config();
  let digests: ReadonlySet<string> = new Set();
  let policy = "";
  const member = new ClusterMember({
    ...{ link, slices: platform.slices, onDefect, keys: () => config().cluster },
    find(digest, tool) {
      const held = findHeld(host, digest, tool);
      return held && { isIdempotent: held.idempotent === true };
    },
    run: createRunCall({ host, slices: platform.slices, onDefect }),
    facts: () => ({ version: VERSION, digests: [...digests], calls: member.calls, policy }),
  });

  async function follow(): Promise<void> {
    // Settings as read are JSON; only their interfaces lack an index signature.
    policy = await hashOf({ policy: config().policy, confirmation: config().confirmation } as unknown as JsonObject);
    digests = heldDigests(host);
    member.hold(digests);
  }

  let unshare = (): Promise<void> => Promise.resolve();
  const senders = (): ReadonlyMap<string, string> => new Map([...sendersOf(config().cluster.members), [identity.publicKey, "this member"]]);
  let stopTimer = (): void => {};
  const unsubscribe = host.subscribe(({ type }) => {
    if (!CHANGES.has(type)) return;
    stopTimer();
    stopTimer = platform.clock.after(
      SETTLE_MS,
      () => void follow().catch((error: unknown) => onDefect("The cluster cannot be told", error)),
    );
  });
  try {
    await member.start();
    await follow();
    await link.bus.roundTrip();
    unshare = await shareHeads({ link, senders, own: () => newestRow(host, platform), onDefect });
  } catch (error) {
    unsubscribe();
    await link.close();
    throw error;
  }
  return {
    publicKey: identity.publicKey,
    async drain() {
      unsubscribe();
      stopTimer();
      await member.drain(DRAIN_MS);
    },
    async close() {
      await member.close();
      await unshare();
      await link.close();
    },
  };
}

/** Returns the newest row in the journal's checkpoint, which is at most a second old. */
async function newestRow({ places }: Pick<Host, "places">, platform: Platform): Promise<JournalHead | undefined> {
  const newest = (await readCheckpoints(places.checkpointFile, platform))?.checkpoints.at(-1);
  return newest && { number: newest.number, seal: newest.seal };
}

function heldDigests(host: Pick<Host, "listEach">): ReadonlySet<string> {
  const digests = new Set<string>();
  for (const { digest, route } of host.listEach({ enabledOnly: true })) if (digest !== undefined && route !== "remote") digests.add(digest);
  return digests;
}
