/** Messages that the host sends over the socket (the protocol is in `wire.ts`). */

import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";
import type { ConfirmationRequest } from "../call/call.ts";
import { tryJson } from "../primitives/json/json-text.ts";
import type { DoorErrorCode, Watched } from "./operations.ts";

/** Maximum bytes in a line; the platform closes connections that send longer ones (`line-connection.ts`). */
export const MAX_LINE_BYTES: number = 4 * 1024 * 1024 - 1;

/** A message from the host. */
export type Frame =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number | null; readonly ok: false; readonly error: WireError }
  | { readonly id: number; readonly event: "progress"; readonly value: JsonValue }
  | { readonly id: number; readonly event: "yield"; readonly value: JsonValue }
  | { readonly id: number; readonly event: "confirm"; readonly request: ConfirmationRequest }
  | { readonly id: number; readonly event: "watched"; readonly value: Watched }
  /** The confirmation was answered elsewhere, or timed out. */
  | { readonly id: number; readonly event: "settled"; readonly requestId: string };

/** A serialized `DoorError`. */
export interface WireError {
  readonly code: DoorErrorCode;
  readonly message: string;
  readonly suggestion?: string;
}

/** Reads a line from the host. Returns undefined if it is not a frame. */
export function readFrame(line: string): Frame | undefined {
  const frame = tryJson(line);
  if (frame === undefined || !isJsonObject(frame)) return undefined;
  const { id, ok, event, error } = frame;
  const isAnswer = typeof id === "number" && (ok === true || typeof event === "string");
  const isFailure = ok === false && isJsonObject(error) && typeof error["message"] === "string" && typeof error["code"] === "string";
  // The cast is safe because the same program runs on the other end, behind a socket of mode 0600.
  return isAnswer || isFailure ? (frame as unknown as Frame) : undefined;
}
