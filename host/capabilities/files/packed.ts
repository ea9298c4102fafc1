/** Encodes an answer's large value as JSON in slices before it crosses, so that no thread encodes it whole (SPEC LV2). */

import { isJsonArray, type JsonValue } from "../../../manifests/mod.ts";
import type { HostAnswer } from "../../../sandbox/mod.ts";
import { joined, pieceBytes } from "../../primitives/json/json-bytes.ts";
import { largeIn, toPieces } from "../../primitives/json/large.ts";
import { encodeSlices } from "../../primitives/json/write-slices.ts";
import type { Slices } from "../../platform/platform.ts";
import type { BridgeContext } from "../bridge.ts";

/** Folder entries that are encoded in one go: 64 KB if each has the longest name. */
export const MANY_ENTRIES = 200;

/** Context of `packed`. */
interface Packing extends Pick<BridgeContext, "platform" | "limits"> {
  /** Waits until that many bytes may cross. Returns false if the call is over. */
  readonly room: (bytes: number) => Promise<boolean>;
}

type Packed = HostAnswer | "too_large" | "over";

/** Returns undefined for values that are small enough to encode in one go. Only lists of entries and outputs of steps can be larger. */
export function packed(answered: Extract<HostAnswer, { ok: true }>, packing: Packing): Promise<Packed> | undefined {
  const { value } = answered;
  if (isJsonArray(value)) return value.length > MANY_ENTRIES ? packList(answered, value, packing) : undefined;
  return typeof value === "object" && value !== null && largeIn(value, "output") !== undefined
    ? packHolder(answered, value, packing)
    : undefined;
}

async function packList(answered: HostAnswer, list: JsonValue, packing: Packing): Promise<Packed> {
  return await pack(answered, await packing.platform.slices.run(encodeSlices(list)), packing);
}

async function packHolder(answered: HostAnswer, holder: object, packing: Packing): Promise<Packed> {
  return await pack(answered, await holderParts(holder, packing.platform.slices), packing);
}

async function holderParts(holder: object, slices: Slices): Promise<readonly Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for (const piece of toPieces(holder)) for await (const part of pieceBytes(piece, slices)) parts.push(part);
  return parts;
}

async function pack(answered: HostAnswer, parts: readonly Uint8Array[], { platform, limits, room }: Packing): Promise<Packed> {
  const bytes = parts.reduce((total, { length }) => total + length, 0);
  if (bytes > limits.operationBytes) return "too_large";
  if (!(await room(bytes))) return "over";
  return { ...answered, json: await platform.slices.run(joined(parts)) } as HostAnswer;
}
