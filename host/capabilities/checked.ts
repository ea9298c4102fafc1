/** The permission check of paths: the only place that makes proofs (DESIGN decision 3). */

import { type AccessQuery, type AccessVerdict, evaluateAccess, normalizePath } from "../../manifests/mod.ts";
import { type CheckedPath, provePath } from "../platform/proof.ts";
import type { CapabilityAct } from "./bridge.ts";
import { type RefusalContext, refusalMessage } from "./refusal.ts";

/** What is to be done with a path. */
export type PathAccess = "read" | "write";

/** The proof that a path may be used, or why not. */
export type PathCheck<A extends PathAccess> = PathAllowed<A> | PathDenied;

/** May be used; `act` is to be recorded. */
export interface PathAllowed<A extends PathAccess> {
  readonly ok: true;
  readonly path: CheckedPath<A>;
  /** Something below the path is denied: recursive acts must not be done (SPEC PA5). */
  readonly partial: boolean;
  readonly act: CapabilityAct;
}

/** May not be used. */
export interface PathDenied {
  readonly ok: false;
  readonly denial: Denial;
}

/** What keeps a text from being a path. */
export type Malformed = "empty" | "nul" | "not_text" | "too_long";

/** Why a path may not be used. */
export type Denial =
  /** No path at all. */
  | { readonly kind: "malformed"; readonly reason: Malformed }
  /** To be told like a missing file (`ignore` of Deno's grammar). */
  | { readonly kind: "ignored"; readonly act: CapabilityAct }
  | {
      readonly kind: "not_capable";
      readonly message: string;
      readonly query: AccessQuery;
      readonly verdict: AccessVerdict;
      readonly act: CapabilityAct;
    };

/**
 * Asks whether the grant allows `access` to `written`, which is relative to `context.cwd` or absolute.
 *
 * The path is normalised first, so `..` is gone before anything is compared. What it leads to on the disk is asked by
 * the proof's `permits`, once the place is open (SPEC PA4).
 */
export function checkPath<A extends PathAccess>(access: A, written: string, context: RefusalContext): PathCheck<A> {
  const path = normalizePath(written, context.cwd);
  if (path === undefined) return { ok: false, denial: { kind: "malformed", reason: malformedReason(written) } };

  const { layers } = context.grant;
  const query: AccessQuery = { kind: access, path };
  const verdict = evaluateAccess(layers, query);
  const act = toAct(query.kind, path, verdict);
  if (verdict.state === "granted") {
    const permits = (resolved: string): boolean => evaluateAccess(layers, { kind: access, path: resolved }).state === "granted";
    return { ok: true, path: provePath<A>({ path, written, permits }), partial: verdict.partial === true, act };
  }
  if (verdict.decidedBy.ignored === true) return { ok: false, denial: { kind: "ignored", act } };
  const message = refusalMessage(query, written, verdict, context);
  return { ok: false, denial: { kind: "not_capable", message, query, verdict, act } };
}

/** A path that needs both: what it leads to must pass both too. */
export function bothPaths<A extends PathAccess>(first: CheckedPath<PathAccess>, second: CheckedPath<A>): CheckedPath<A> {
  const { path, written } = second;
  return provePath<A>({ path, written, permits: (resolved) => first.permits(resolved) && second.permits(resolved) });
}

/** What is recorded of an act, allowed or not. */
export function toAct(permission: string, value: string, verdict: AccessVerdict): CapabilityAct {
  const { layer, rule } = verdict.decidedBy;
  return { decision: verdict.state === "granted" ? "granted" : "denied", permission, value, layer, ...(rule !== undefined && { rule }) };
}

/** Why `normalizePath` has no answer. */
function malformedReason(written: string): Malformed {
  if (written === "") return "empty";
  if (written.includes("\0")) return "nul";
  return /\p{Surrogate}/u.test(written) ? "not_text" : "too_long";
}
