/** Names of subjects and buckets of a cluster, and the times that its members share (SPEC CL1). */

import type { BucketOptions } from "../platform/bus/bus-types.ts";

/** The cluster of `--join` without `--cluster`. */
export const DEFAULT_CLUSTER = "default";

/** A member sends a heartbeat this often. */
export const BEAT_MS = 2_000;
/** Without a heartbeat for this time, a member counts as dead. */
export const DEAD_MS = 8_000;
/** Results are kept this long. A repeat of a call after that runs again. */
const KEPT_MS = 24 * 3_600_000;
/** Largest difference of two clocks: older and newer messages are refused. */
export const CLOCK_MS = 60_000;
/** Larger values go through the bucket of large values (SPEC CL3). */
export const INLINE_BYTES: number = 512 * 1024;

const CALLS_BYTES = 1024 * 1024 * 1024;
const MEMBERS_BYTES = 64 * 1024 * 1024;
const VALUES_BYTES = 4 * 1024 * 1024 * 1024;

export const CALLS: BucketOptions = { ttlMs: KEPT_MS, maxBytes: CALLS_BYTES };
export const MEMBERS: BucketOptions = { ttlMs: DEAD_MS, maxBytes: MEMBERS_BYTES };
export const VALUES: BucketOptions = { ttlMs: KEPT_MS, maxBytes: VALUES_BYTES };

/** Newest rows of journals; never removed, because a member may be away for long. */
export const HEADS: BucketOptions = { ttlMs: 0, maxBytes: MEMBERS_BYTES };
export const HEADS_KEYS = "heads.";

export function bucketOf(cluster: string, kind: "calls" | "members" | "values" | "heads"): string {
  return `bascule-${cluster}-${kind}`;
}

/** Subject of calls for members with these bytes of a plugin. */
export function callSubject(cluster: string, digest: string): string {
  return `bascule.${cluster}.call.${digest}`;
}

/** Subject of one member's process. */
export function memberSubject(cluster: string, incarnation: string): string {
  return `bascule.${cluster}.member.${incarnation}`;
}

/** Covered by the signature of a call's record instead of a subject, because members pass records on. */
export function recordSubject(cluster: string, key: string): string {
  return `bascule.${cluster}.record.${key}`;
}

/** Key of a member's heartbeat; its subject is signed as `memberSubject`. */
export function beatKey(incarnation: string): string {
  return `members.${incarnation}`;
}

export const BEATS = "members.";
