/**
 * Newest rows of the members' journals (SPEC CL5). Each member publishes its own once a second, with the highest that it has seen of each other
 * member. So a member whose journal lost its end cannot take back what the others have seen.
 */

import { isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import { BusError, type BusValues } from "../platform/bus/bus-types.ts";
import { readJsonText } from "../primitives/json/json-text.ts";
import { openEnvelope, sealEnvelope, textOf } from "./envelope.ts";
import type { Link } from "./link.ts";
import { bucketOf, HEADS, HEADS_KEYS, INLINE_BYTES } from "./names.ts";

/** A row that a journal had as its newest. */
export interface JournalHead {
  readonly number: number;
  readonly seal: string;
}

/** Heads by public key: the own one of the member that publishes them, and the others that it has seen. */
type Seen = Readonly<Record<string, JournalHead>>;

interface HeadsOptions {
  readonly link: Link;
  /** Names of the members, by public key, this one included. */
  readonly senders: () => ReadonlyMap<string, string>;
  /** Returns the newest row of this host's journal; undefined if it keeps none. */
  readonly own: () => Promise<JournalHead | undefined>;
  readonly onDefect: (message: string, error: unknown) => void;
}

const EACH_MS = 1_000;
const BOUNDS = { maxBytes: INLINE_BYTES, maxDepth: 3 };

/** Publishes and watches heads until the returned function is called. @throws {BusError} */
export async function shareHeads({ link, senders, own, onDefect }: HeadsOptions): Promise<() => Promise<void>> {
  const { clock } = link.platform;
  const bucket = await openHeads(link);
  const me = link.identity.publicKey;
  const seen = new Map<string, JournalHead>();
  let published = "";
  let isOver = false;
  let stopTimer = (): void => {};
  let working: Promise<void> = Promise.resolve();

  function note(key: string, name: string, head: JournalHead): void {
    const known = seen.get(key);
    if (known === undefined || head.number > known.number) seen.set(key, head);
    else if (head.number < known.number || head.seal !== known.seal)
      onDefect(
        `The journal of the member "${name}" had row ${known.number}, and does not have it any more (bascule audit verify there)`,
        undefined,
      );
  }

  /** Only a member's word about itself is news; its own memory of the others is read back after a start. */
  function onChange(key: string, bytes: Uint8Array | undefined): void {
    const about = key.slice(HEADS_KEYS.length);
    const told = bytes && readSeen(link, about, bytes, senders());
    if (told === undefined) return;
    for (const [other, head] of Object.entries(told)) {
      const name = senders().get(other);
      if (name !== undefined && (other === about ? other !== me : about === me)) note(other, name, head);
    }
  }

  async function publish(): Promise<void> {
    const head = await own();
    const all: Record<string, JournalHead> = { ...Object.fromEntries(seen), ...(head && { [me]: head }) };
    const text = JSON.stringify(all);
    if (text === published || text === "{}") return;
    await bucket.put(
      `${HEADS_KEYS}${me}`,
      sealEnvelope(link.identity, subjectOf(link, me), { kind: "heads" }, new TextEncoder().encode(text)),
    );
    published = text;
  }

  function tick(): void {
    working = publish().catch((error: unknown) => {
      // The next one brings the same.
      if (!(error instanceof BusError)) onDefect("The newest row of the journal cannot be published", error);
    });
    void working.then(() => {
      if (!isOver) stopTimer = clock.after(EACH_MS, tick);
    });
  }

  const watch = await bucket.watch(`${HEADS_KEYS}>`, (key, value) => onChange(key, value?.bytes));
  tick();
  return async () => {
    isOver = true;
    stopTimer();
    watch.stop();
    await working;
    // The rows of the last second.
    await publish().catch((error: unknown) => {
      if (!(error instanceof BusError)) throw error;
    });
  };
}

/** Returns the highest row that the cluster has seen of a host's journal, and who has seen it. @throws {BusError} */
export async function headOf(
  link: Link,
  publicKey: string,
  senders: ReadonlyMap<string, string>,
): Promise<(JournalHead & { readonly by: string }) | undefined> {
  const bucket = await openHeads(link);
  let highest: (JournalHead & { readonly by: string }) | undefined;
  for (const key of await bucket.keys(HEADS_KEYS)) {
    const about = key.slice(HEADS_KEYS.length);
    const value = await bucket.get(key);
    const head = value && readSeen(link, about, value.bytes, senders)?.[publicKey];
    if (head !== undefined && (highest === undefined || head.number > highest.number))
      highest = { ...head, by: senders.get(about) ?? about };
  }
  return highest;
}

function openHeads(link: Pick<Link, "bus" | "cluster">): Promise<BusValues> {
  return link.bus.values(bucketOf(link.cluster, "heads"), HEADS);
}

function subjectOf({ cluster }: Pick<Link, "cluster">, publicKey: string): string {
  return `bascule.${cluster}.heads.${publicKey}`;
}

/** Returns what the member itself has signed; undefined for anything else. */
function readSeen(
  link: Pick<Link, "identities" | "cluster">,
  publicKey: string,
  bytes: Uint8Array,
  senders: ReadonlyMap<string, string>,
): Seen | undefined {
  const opened = openEnvelope(bytes, subjectOf(link, publicKey), { identities: link.identities, senders });
  if (!opened.ok || opened.message.publicKey !== publicKey || opened.message.header["kind"] !== "heads") return undefined;
  const read = readJsonText(textOf(opened.message.payload) ?? "", BOUNDS);
  // Parsed text is JSON.
  const value = read.ok ? (read.value as JsonValue) : undefined;
  if (value === undefined || !isJsonObject(value)) return undefined;
  return Object.fromEntries(Object.entries(value).flatMap(([key, head]) => (isJsonObject(head) ? readHead(key, head) : [])));
}

function readHead(key: string, { number, seal }: JsonObject): readonly (readonly [string, JournalHead])[] {
  const isHead = typeof number === "number" && Number.isSafeInteger(number) && typeof seal === "string" && /^[0-9a-f]{64}$/.test(seal);
  return isHead ? [[key, { number, seal }]] : [];
}
