/** Sends an answer over a line connection. Values that the answer holds as bytes are written in slices (SPEC LV2). */

import { piecesBytes } from "../primitives/json/json-bytes.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import { toPieces } from "../primitives/json/large.ts";
import { encodeSlices } from "../primitives/json/write-slices.ts";
import type { LineConnection, Slices } from "../platform/platform.ts";

/**
 * Sends one line. Without large values it is sent synchronously; with large ones, later answers may overtake it.
 *
 * @returns false, and sends nothing, if the line is longer than `maxBytes`
 */
export async function sendJson(
  connection: Pick<LineConnection, "send" | "sendPieces">,
  value: unknown,
  { slices, maxBytes }: { readonly slices: Slices; readonly maxBytes: number },
): Promise<boolean> {
  const pieces = toPieces(value);
  const [text] = pieces;
  if (pieces.length === 1 && typeof text === "string") {
    if (lineBytes(text, maxBytes) > maxBytes) return false;
    connection.send(text);
    return true;
  }
  const written: Uint8Array[] = [];
  let left = maxBytes;
  for await (const bytes of piecesBytes(pieces, slices)) {
    left -= bytes.length;
    if (left < 0) return false;
    written.push(bytes);
  }
  connection.sendPieces(written);
  return true;
}

/** As `sendJson`, for plain JSON that is large because it has many members: all of it is written in slices. */
export async function sendInSlices(
  connection: Pick<LineConnection, "sendPieces">,
  value: JsonValue,
  { slices, maxBytes }: { readonly slices: Slices; readonly maxBytes: number },
): Promise<boolean> {
  const written = await slices.run(encodeSlices(value));
  if (written.reduce((total, { length }) => total + length, 0) > maxBytes) return false;
  connection.sendPieces(written);
  return true;
}

/** Returns the bytes of a line; exact only near `maxBytes`. A UTF-16 unit is at most three bytes, so most lines need no encoding. */
export function lineBytes(line: string, maxBytes: number): number {
  return line.length * 3 <= maxBytes ? line.length : new TextEncoder().encode(line).length;
}
