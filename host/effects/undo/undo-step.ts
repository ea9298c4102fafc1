/** The steps of a call's changes, each with the state before it (SPEC E8). */

import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";

/** Identity of a file, folder or link. Absent in steps of older versions. */
interface Identified {
  readonly fileId?: string;
}

/** A file by its contents. `modifiedMs` is absent in steps of older versions. */
export interface FileState extends Identified {
  readonly kind: "file";
  readonly bytes: number;
  readonly sha256: string;
  readonly mode: number;
  readonly modifiedMs?: number;
  /** Number of hard links, if it had several: it comes back as a separate file. */
  readonly names?: number;
}

/** A file that is held by a hard link beside the step. So its contents, permissions, times and other names need not be kept. */
export interface HeldState {
  readonly kind: "held";
  readonly bytes: number;
  readonly device: number;
  readonly inode: number;
}

/** The state of a path. `unkept`: it cannot be put back, for the given reason. */
export type UndoState =
  | { readonly kind: "missing" }
  | FileState
  | HeldState
  | ({ readonly kind: "directory"; readonly mode: number } & Identified)
  /** `target` is the text of the link. */
  | ({ readonly kind: "link"; readonly target: string } & Identified)
  | { readonly kind: "unkept"; readonly reason: string };

/** One change. Paths are real and absolute. */
export type UndoStep =
  | {
      readonly kind: "place";
      readonly path: string;
      readonly before: UndoState;
      /** The call was about to write into the existing file. Otherwise it was about to remove or create the name. */
      readonly inPlace?: true;
    }
  /** A moved entry is identified by device and inode. */
  | { readonly kind: "rename"; readonly path: string; readonly to: string; readonly device: number; readonly inode: number };

/** Returns the identity of a file, folder or link. It stays the same after a move. */
export function fileIdOf({ device, inode }: { readonly device: number; readonly inode: number }): string {
  return `${device}:${inode}`;
}

/** The call that made the changes. */
export interface UndoCall {
  readonly callId: string;
  /** Qualified tool name. */
  readonly tool: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/** Maximum length of a kept path, in UTF-16 units. */
export const MAX_PATH = 8_192;
const MAX_ID = 64;

/** Returns undefined if the value is not a step: anything that can write the folder can write anything there. */
export function readStep(value: JsonValue): UndoStep | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, path, to, device, inode } = value;
  if (!isPath(path)) return undefined;
  if (kind === "rename" && isPath(to) && typeof device === "number" && typeof inode === "number") return { kind, path, to, device, inode };
  const before = kind === "place" ? readState(value["before"] ?? null) : undefined;
  return before && { kind: "place", path, before, ...(value["inPlace"] === true && { inPlace: true }) };
}

export function readState(value: JsonValue): UndoState | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind, bytes, sha256, mode, modifiedMs, reason, target, device, inode, names, fileId } = value;
  const identified = typeof fileId === "string" && fileId.length <= MAX_ID && { fileId };
  if (kind === "missing") return { kind };
  if (kind === "unkept" && typeof reason === "string") return { kind, reason };
  if (kind === "link" && isTarget(target)) return { kind, target, ...identified };
  if (kind === "directory" && isMode(mode)) return { kind, mode, ...identified };
  if (typeof bytes !== "number") return undefined;
  if (kind === "held" && typeof device === "number" && typeof inode === "number") return { kind, bytes, device, inode };
  if (kind !== "file" || !isMode(mode) || typeof sha256 !== "string") return undefined;
  return {
    kind,
    bytes,
    sha256,
    mode,
    ...(typeof modifiedMs === "number" && { modifiedMs }),
    ...(typeof names === "number" && { names }),
    ...identified,
  };
}

export function readCall(value: JsonValue): UndoCall | undefined {
  if (!isJsonObject(value)) return undefined;
  const { callId, tool, atMs } = value;
  return typeof callId === "string" && typeof tool === "string" && typeof atMs === "number" ? { callId, tool, atMs } : undefined;
}

/** Compares contents, not permissions and times. */
export function isSameState(left: UndoState, right: UndoState): boolean {
  if (left.kind === "file" && right.kind === "file") return left.sha256 === right.sha256 && left.bytes === right.bytes;
  if (left.kind === "link" && right.kind === "link") return left.target === right.target;
  return left.kind === right.kind && left.kind !== "unkept" && left.kind !== "held";
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
