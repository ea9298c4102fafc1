/** Alters envelopes of a cluster, and sends a member and a caller whatever a listed key can sign: nothing is accepted that was not sent, and nothing crashes. */

import { openEnvelope, sealEnvelope } from "../../host/cluster/envelope.ts";
import { callSubject, memberSubject } from "../../host/cluster/names.ts";
import { createIdentities } from "../../host/platform/bus/identities.ts";
import type { JsonObject, JsonValue } from "../../manifests/mod.ts";
import { createTestCluster, DIGEST, resultOf } from "../support/cluster.ts";
import { createRandom, type Random } from "./random.ts";

const identities = createIdentities();
const identity = identities.create();
const other = identities.create();
const SUBJECT = "bascule.test.call.x";
const PAYLOAD = new TextEncoder().encode('{"a":1}');

/** Checks `count` altered envelopes. */
export function checkEnvelopes(seed: number, count: number): readonly string[] {
  const random = createRandom(seed);
  const senders = new Map([[identity.publicKey, "alpha"]]);
  const envelope = sealEnvelope(identity, SUBJECT, { kind: "call", callId: "call-1" }, PAYLOAD);
  const foreign = sealEnvelope(other, SUBJECT, { kind: "call", callId: "call-1" }, PAYLOAD);
  const problems: string[] = [];
  for (let index = 0; index < count; index++) {
    const altered = alter(random.below(8) === 0 ? foreign : envelope, random);
    if (isSame(altered, envelope)) continue;
    if (openEnvelope(altered, SUBJECT, { identities, senders }).ok) problems.push(`case ${index}: an altered envelope was accepted`);
  }
  if (!openEnvelope(envelope, SUBJECT, { identities, senders }).ok) problems.push("an envelope that was not altered was refused");
  return problems;
}

/** Sends `count` messages to a member, and as many to its caller, while a call runs. */
export async function checkMessages(seed: number, count: number): Promise<readonly string[]> {
  const random = createRandom(seed);
  const cluster = createTestCluster();
  const runs: JsonValue[] = [];
  const packets: (() => void)[] = [];
  const allSent = Promise.withResolvers<void>();
  const { member, identity: memberKey } = await cluster.member("alpha", async ({ args, onYield }) => {
    runs.push(args);
    await allSent.promise;
    await onYield("yielded");
    return resultOf(args);
  });
  const caller = await cluster.caller("web");
  const { bus } = caller.link;
  const subjects = [callSubject("test", DIGEST), memberSubject("test", member.incarnation), "_INBOX.1.frame", "_INBOX.1.result"];
  const sent: Uint8Array[] = [];
  for (let index = 0; index < count; index++) {
    const subject = oneOf(random, subjects);
    const key = oneOf(random, [caller.identity, memberKey, other]);
    const bytes =
      sent.length > 0 && random.below(4) === 0
        ? alter(oneOf(random, sent), random)
        : sealEnvelope(
            key,
            subject,
            header(random, cluster.platform.clock.now()),
            oneOf(random, [PAYLOAD, new Uint8Array(), Uint8Array.of(255)]),
          );
    if (sent.length < 50) sent.push(bytes);
    packets.push(() => bus.publish(subject, bytes, random.below(2) === 0 ? "_INBOX.nowhere" : undefined));
  }
  const got: JsonValue[] = [];
  const calling = cluster.call(caller, { callId: "the-good-call", args: { good: true }, onYield: async (value) => void got.push(value) });
  const sending = sendEach(packets).then(allSent.resolve);
  const end = await cluster.settle(calling);
  await sending;
  const isAnswered = end.ok && end.text === '{"ok":true,"output":{"good":true}}';
  return [
    ...(isAnswered ? [] : [`the good call ended as ${JSON.stringify(end)}`]),
    ...(JSON.stringify(got) === '["yielded"]' ? [] : [`the good call yielded ${JSON.stringify(got)}`]),
    ...(runs.filter((args) => JSON.stringify(args) === '{"good":true}').length === 1 ? [] : ["the good call did not run once"]),
    // The hash of a call covers its arguments, so none with other arguments runs.
    ...(runs.length === 1 ? [] : [`${runs.length - 1} hostile calls ran`]),
  ];
}

/** One in each turn of the event loop, before, while and after the call is accepted. */
async function sendEach(packets: readonly (() => void)[]): Promise<void> {
  for (const send of packets) {
    send();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const KINDS: readonly JsonValue[] = ["call", "taken", "cancel", "ack", "progress", "yield", "record", "beat", "", null, 7];
const VALUES: readonly JsonValue[] = [
  ...[true, -1, 0, 1.5, 2 ** 53, "", "x", "a".repeat(64), "x".repeat(5_000), [], {}, [[[]]], { large: 1 }],
  { name: "../../x", bytes: 1, sha256: "a".repeat(64) },
  { name: "missing", bytes: 5, sha256: "a".repeat(64) },
];
const FIELDS = [
  ..."callId hash digest tool owner timeoutMs traceparent inbox taken hasArguments isKnown large key number incarnation state".split(" "),
  ..."code message isIdempotent run __proto__ toString".split(" "),
];

function header(random: Random, now: number): JsonObject {
  const valid: JsonObject = {
    ...{ kind: oneOf(random, KINDS), at: oneOf(random, [now, now, now, 0, now + 1e9, "soon"]), callId: `hostile-${random.below(3)}` },
    ...{
      hash: "a".repeat(64),
      digest: DIGEST,
      tool: "demo.work",
      owner: "me",
      timeoutMs: 1_000,
      inbox: "_INBOX.9",
      taken: 0,
      hasArguments: true,
      isKnown: false,
    },
    ...{ key: "a".repeat(64), number: random.below(5), incarnation: "x", state: "ended", isIdempotent: true, run: 1 },
  };
  const changed = Array.from({ length: random.below(4) }, (): [string, JsonValue] => [oneOf(random, FIELDS), oneOf(random, VALUES)]);
  return Object.fromEntries([...Object.entries(valid), ...changed]);
}

function oneOf<T>(random: Random, choices: readonly T[]): T {
  // Callers choose from lists that are not empty.
  return choices[random.below(choices.length)] as T;
}

function alter(bytes: Uint8Array, random: Random): Uint8Array {
  const altered = new Uint8Array(bytes);
  const kind = random.below(4);
  if (kind === 0) return altered.slice(0, random.below(bytes.length + 1));
  if (kind === 1) return new Uint8Array([...altered, ...Array.from({ length: 1 + random.below(40) }, () => random.below(256))]);
  for (let changes = 1 + random.below(4); changes > 0; changes--) altered[random.below(bytes.length)] = random.below(256);
  return altered;
}

function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index]);
}
