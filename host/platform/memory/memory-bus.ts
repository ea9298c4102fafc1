/** A server of messages and values in memory, with a network that a test can cut, delay, double and reorder. */

import type { Buses } from "../bus/bus-types.ts";
import type { Clock } from "../threads/clock-types.ts";
import { createMemoryBucket, matchesSubject, type MemoryBucket } from "./memory-buckets.ts";
import { type MemoryLink, type MemoryServer, type MemorySubscription, openMemoryConnection } from "./memory-connection.ts";

/** Something that is under way between a connection and the server. */
export interface MemoryPacket {
  /** Name of a connection, or `server`. */
  readonly from: string;
  readonly to: string;
  /** Subject of a message, or an act on a bucket and its key, such as `calls update a.b`; the answer of the server has the same. */
  readonly what: string;
  /** Lets it arrive. Never called: it is lost. Called twice: it arrives twice. */
  deliver(): void;
}

export interface MemoryBusServer {
  readonly buses: Buses;
  /** Cuts the connections with a name (all, without one) off: what is under way to and from them is lost. */
  cut(name?: string): void;
  /** Connects them again. */
  heal(name?: string): void;
}

/** @param network decides when each packet arrives. Default: in order, after the current task. */
export function createMemoryBusServer(
  clock: Clock,
  network: (packet: MemoryPacket) => void = (packet) => queueMicrotask(() => packet.deliver()),
): MemoryBusServer {
  const links = new Set<MemoryLink>();
  const subscriptions = new Set<MemorySubscription>();
  const buckets = new Map<string, MemoryBucket>();
  let turn = 0;
  let inboxes = 0;

  const server: MemoryServer = {
    clock,
    links,
    subscriptions,
    send(link, direction, what, arrive) {
      const { epoch } = link;
      const [from, to] = direction === "up" ? [link.name, "server"] : ["server", link.name];
      const deliver = (): void => {
        if (!link.isCut && link.epoch === epoch) arrive();
      };
      network({ from, to, what, deliver });
    },
    receiversOf(subject) {
      const matching = [...subscriptions].filter((other) => !other.link.isCut && matchesSubject(other.subject, subject));
      const queues = new Set(matching.flatMap(({ queue }) => queue ?? []));
      turn += 1;
      const chosen = [...queues].flatMap((queue) => {
        const sharing = matching.filter((other) => other.queue === queue);
        return sharing[turn % sharing.length] ?? [];
      });
      return [...matching.filter(({ queue }) => queue === undefined), ...chosen];
    },
    bucket(kind, name, options) {
      const id = `${kind}/${name}`;
      const bucket = buckets.get(id) ?? createMemoryBucket(name, options, clock);
      buckets.set(id, bucket);
      return bucket;
    },
    newInbox() {
      inboxes += 1;
      return `_INBOX.${inboxes}`;
    },
  };

  const named = (name: string | undefined): MemoryLink[] => [...links].filter((link) => name === undefined || link.name === name);
  return {
    buses: { connect: async (options) => openMemoryConnection(server, options) },
    cut(name) {
      for (const link of named(name)) {
        if (link.isCut) continue;
        link.isCut = true;
        link.epoch += 1;
        link.onCut();
      }
    },
    heal(name) {
      for (const link of named(name)) {
        if (!link.isCut) continue;
        link.isCut = false;
        link.onHeal();
      }
    },
  };
}
