/** Heartbeats of members: values that expire, so that a member that died is gone after a few seconds (SPEC CL2). */

import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import { isJsonArray } from "../../manifests/mod.ts";
import { BusError } from "../platform/bus/bus-types.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import { openEnvelope, sealEnvelope, textOf } from "./envelope.ts";
import type { Link } from "./link.ts";
import { BEAT_MS, BEATS, beatKey, INLINE_BYTES, memberSubject } from "./names.ts";

/** Facts in a heartbeat. */
export interface MemberFacts {
  readonly version: string;
  /** Plugins that it takes calls for. */
  readonly digests: readonly string[];
  /** Calls that it has accepted and not yet recorded. */
  readonly calls: number;
  /** Hash of its policy. */
  readonly policy: string;
}

/** A member as its newest heartbeat shows it. */
export interface SeenMember extends MemberFacts {
  readonly name: string;
  readonly incarnation: string;
  /** Its own clock. */
  readonly at: number;
}

export interface Heartbeat {
  /** @throws {BusError} */
  start(): Promise<void>;
  /** Sends the next heartbeat now. */
  soon(): void;
  /** Whether a process sends heartbeats. @throws {BusError} */
  isThere(incarnation: string): Promise<boolean>;
  stop(): Promise<void>;
}

const MOST_DIGESTS = 4_000;
const FACTS_BOUNDS = { maxBytes: INLINE_BYTES, maxDepth: 4 };

export function createHeartbeat(options: {
  readonly link: Link;
  readonly incarnation: string;
  readonly facts: () => MemberFacts;
  readonly onDefect: (message: string, error: unknown) => void;
}): Heartbeat {
  const { link, incarnation, facts, onDefect } = options;
  const { clock } = link.platform;
  const key = beatKey(incarnation);
  let isOver = false;
  let stopTimer = (): void => {};
  let sending: Promise<void> = Promise.resolve();

  async function send(): Promise<void> {
    const { version, calls, policy, digests } = facts();
    const header: JsonObject = { kind: "beat", incarnation, at: clock.now(), version, calls, policy };
    const payload = new TextEncoder().encode(JSON.stringify(digests.slice(0, MOST_DIGESTS)));
    await (await link.members()).put(key, sealEnvelope(link.identity, memberSubject(link.cluster, incarnation), header, payload));
  }

  function beat(): void {
    stopTimer();
    if (isOver) return;
    sending = sending.then(send).catch((error: unknown) => {
      if (!(error instanceof BusError)) onDefect("A heartbeat cannot be sent", error);
    });
    stopTimer = clock.after(BEAT_MS, beat);
  }

  return {
    async start() {
      await send();
      stopTimer = clock.after(BEAT_MS, beat);
    },
    soon: beat,
    isThere: async (other) => (await (await link.members()).get(beatKey(other))) !== undefined,
    async stop() {
      isOver = true;
      stopTimer();
      await sending;
      try {
        await (await link.members()).remove(key);
      } catch (error) {
        // The value expires by itself.
        if (!(error instanceof BusError)) throw error;
      }
    },
  };
}

/** Returns the members that send heartbeats, and the reasons why others are not listed. @throws {BusError} */
export async function seenMembers(
  link: Pick<Link, "members" | "identities" | "cluster">,
  senders: ReadonlyMap<string, string>,
): Promise<{ readonly members: readonly SeenMember[]; readonly problems: readonly string[] }> {
  const bucket = await link.members();
  const members: SeenMember[] = [];
  const problems: string[] = [];
  for (const key of await bucket.keys(BEATS)) {
    const value = await bucket.get(key);
    if (value === undefined) continue;
    const incarnation = key.slice(BEATS.length);
    const opened = openEnvelope(value.bytes, memberSubject(link.cluster, incarnation), { identities: link.identities, senders });
    const seen = opened.ok ? readBeat(opened.message.header, opened.message.payload) : undefined;
    if (opened.ok && seen !== undefined) members.push({ ...seen, name: opened.message.name, incarnation });
    else problems.push(`The heartbeat of the member ${incarnation} cannot be used: ${opened.ok ? "it is malformed" : opened.reason}`);
  }
  return { members, problems };
}

function readBeat(header: JsonObject, payload: Uint8Array): Omit<SeenMember, "name" | "incarnation"> | undefined {
  const { kind, at, version, calls, policy } = header;
  const read = readJsonText(textOf(payload) ?? "", FACTS_BOUNDS);
  // Parsed text is JSON.
  const digests = read.ok ? (read.value as JsonValue) : undefined;
  if (kind !== "beat" || typeof at !== "number" || typeof calls !== "number" || digests === undefined || !isJsonArray(digests))
    return undefined;
  // Both are shown on terminals.
  if (!isPlain(version) || !isPlain(policy)) return undefined;
  return { at, version, calls, policy, digests: digests.filter((digest) => typeof digest === "string") };
}

/** A version or a hash; a hash that is not known yet is empty. */
function isPlain(value: JsonValue | undefined): value is string {
  return typeof value === "string" && /^[\w:.+-]{0,128}$/.test(value);
}
