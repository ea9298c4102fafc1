/** Connections of a host to the clusters that it calls: opened at the first call, and kept until the host closes (SPEC CL1). */

import type { Platform } from "../platform/platform.ts";
import { type Link, openLink } from "./link.ts";
import { DEFAULT_CLUSTER } from "./names.ts";
import { openOwnKey } from "./own-key.ts";

/** A cluster and its server. */
interface ClusterPlace {
  readonly url: string;
  readonly cluster?: string;
}

export interface ClusterLinks {
  /** @throws {BusError} if the server does not answer @throws {TypeError | FileError} if the key cannot be used */
  open(place: ClusterPlace): Promise<Link>;
  close(): Promise<void>;
}

/** @param keyFile of the host's own key. Absolute. */
export function createClusterLinks(platform: Platform, keyFile: string): ClusterLinks {
  const links = new Map<string, Promise<Link>>();

  async function connect({ url, cluster = DEFAULT_CLUSTER }: ClusterPlace): Promise<Link> {
    const [identities, identity] = [await platform.identities(), await openOwnKey(platform, keyFile)];
    return await openLink({ buses: platform.buses, platform, identities, identity, servers: [url], cluster, name: "bascule caller" });
  }

  return {
    async open(place) {
      const id = JSON.stringify([place.url, place.cluster]);
      const known = links.get(id) ?? connect(place);
      links.set(id, known);
      try {
        return await known;
      } catch (error) {
        // The next call tries again.
        if (links.get(id) === known) links.delete(id);
        throw error;
      }
    },
    async close() {
      const open = [...links.values()];
      links.clear();
      await Promise.all(open.map((link) => link.then((one) => one.close()).catch(() => undefined)));
    },
  };
}
