/** What a call changed, step by step, with what was there before (SPEC E8). */

import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";

/** What was at a place. `unkept`: something that cannot be put back, and why. */
export type UndoState =
  | { readonly kind: "missing" }
  | { readonly kind: "file"; readonly bytes: number; readonly sha256: string; readonly mode: number }
  | { readonly kind: "directory"; readonly mode: number }
  /** `target` is the text that it holds. */
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "unkept"; readonly reason: string };

/** One change; paths are real and absolute. */
export type UndoStep =
  | { readonly kind: "place"; readonly path: string; readonly before: UndoState }
  /** What was moved is known again by device and inode. */
  | { readonly kind: "rename"; readonly path: string; readonly to: string; readonly device: number; readonly inode: number };

/** Whose changes they are. */
export interface UndoCall {
  readonly callId: string;
  /** Qualified name. */
  readonly tool: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

const MAX_PATH = 8_192;

/** Undefined for what is no step: whoever can write the folder can write anything there. */
export function readStep(value: JsonValue): UndoStep | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, path, to, device, inode } = value;
  if (!isPath(path)) return undefined;
  if (kind === "rename" && isPath(to) && typeof device === "number" && typeof inode === "number") return { kind, path, to, device, inode };
  const before = kind === "place" ? readState(value["before"] ?? null) : undefined;
  return before && { kind: "place", path, before };
}

export function readState(value: JsonValue): UndoState | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, bytes, sha256, mode, reason, target } = value;
  if (kind === "missing") return { kind };
  if (kind === "unkept" && typeof reason === "string") return { kind, reason };
  if (kind === "link" && isTarget(target)) return { kind, target };
  if (kind === "directory" && isMode(mode)) return { kind, mode };
  if (kind !== "file" || !isMode(mode) || typeof sha256 !== "string" || typeof bytes !== "number") return undefined;
  return { kind, bytes, sha256, mode };
}

export function readCall(value: JsonValue): UndoCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const { callId, tool, atMs } = value;
  return typeof callId === "string" && typeof tool === "string" && typeof atMs === "number" ? { callId, tool, atMs } : undefined;
}

/** Whether something is what it was. Rights do not count: contents do. */
export function isSameState(left: UndoState, right: UndoState): boolean {
  if (left.kind === "file" && right.kind === "file") return left.sha256 === right.sha256 && left.bytes === right.bytes;
  if (left.kind === "link" && right.kind === "link") return left.target === right.target;
  return left.kind === right.kind && left.kind !== "unkept";
}

function isPath(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value.startsWith("/") && value.length <= MAX_PATH;
}

function isTarget(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= MAX_PATH && !value.includes("\0");
}

function isMode(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0o777;
}
