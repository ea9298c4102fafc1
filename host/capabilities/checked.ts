/** Permission checks of paths and URLs: the only module that creates proofs (architecture, decision 3). */

import {
  type AccessQuery,
  type AccessVerdict,
  evaluateAccess,
  evaluateAddress,
  isAtOrBelow,
  movedPath,
  namesPath,
  type NetQuery,
  normalizePath,
} from "../../manifests/mod.ts";
import {
  type CheckedPath,
  type CheckedProgram,
  type CheckedUrl,
  type IsRoot,
  provePath,
  proveProgram,
  proveUrl,
} from "../platform/proof.ts";
import type { CapabilityAct } from "./bridge.ts";
import { addressRefusal, type RefusalContext, refusalMessage } from "./refusal.ts";

/** The access to a path. */
export type PathAccess = "read" | "write";

/** The proof that a path may be used, or the denial. */
export type PathCheck<A extends PathAccess> = PathAllowed<A> | PathDenied;

/** The path may be used. The caller records `act`. */
export interface PathAllowed<A extends PathAccess> {
  readonly ok: true;
  readonly path: CheckedPath<A>;
  /** Something below the path is denied, so recursive acts must be refused (SPEC PA5). */
  readonly partial: boolean;
  readonly act: CapabilityAct;
}

/** The path may not be used. */
export interface PathDenied {
  readonly ok: false;
  readonly denial: Denial;
}

/** Why a text is not a valid path. */
export type Malformed = "empty" | "nul" | "not_text" | "too_long";

/** Why a path may not be used. */
export type Denial =
  /** Not a valid path. */
  | { readonly kind: "malformed"; readonly reason: Malformed }
  /** Reported like a missing file (`ignore` in Deno's grammar). */
  | { readonly kind: "ignored"; readonly act: CapabilityAct }
  | {
      readonly kind: "not_capable";
      readonly message: string;
      readonly query: AccessQuery;
      readonly verdict: AccessVerdict;
      readonly act: CapabilityAct;
    };

/**
 * Checks whether the grant allows `access` to `written`, which is absolute or relative to `context.cwd`.
 *
 * The path is normalised first, so `..` is resolved before any comparison. The proof's `permits` checks the resolved path, once the file is
 * open (SPEC PA4).
 *
 * @param reach `below`: the act covers everything below the path, so the proof permits no path of which a part is denied (SPEC PA5)
 */
export function checkPath<A extends PathAccess>(
  access: A,
  written: string,
  context: RefusalContext,
  reach: "place" | "below" = "place",
): PathCheck<A> {
  const path = pathIn(written, context);
  if (path === undefined) return { ok: false, denial: { kind: "malformed", reason: malformedReason(written) } };

  const { layers } = context.grant;
  const query: AccessQuery = { kind: access, path };
  const verdict = evaluateAccess(layers, query);
  const act = toAct(query.kind, path, verdict);
  if (verdict.state === "granted") {
    const permits: CheckedPath<A>["permits"] = (resolved, spelling) => {
      const place: AccessQuery = { kind: access, path: resolved, ...(spelling === "any" && { anySpelling: true }) };
      const { state, partial } = evaluateAccess(layers, place);
      return state === "granted" && (reach === "place" || partial !== true);
    };
    return {
      ok: true,
      path: provePath<A>({ path, written, permits, isRoot: rootsOf(access, context) }),
      partial: verdict.partial === true,
      act,
    };
  }
  if (verdict.decidedBy.ignored === true) return { ok: false, denial: { kind: "ignored", act } };
  const message = refusalMessage(query, written, verdict, context);
  return { ok: false, denial: { kind: "not_capable", message, query, verdict, act } };
}

/**
 * Returns the absolute normalised path. A path through the link by which the user named the workspace counts as a path in the workspace.
 */
export function pathIn(written: string, { cwd, named }: Pick<RefusalContext, "cwd" | "named">): string | undefined {
  const path = normalizePath(written, cwd);
  const moved = path === undefined || named === undefined ? undefined : movedPath(path, named, cwd);
  return moved === undefined ? path : normalizePath(moved, cwd);
}

/** Whether an item names exactly this path in a layer that does not grant the folder above it. Patterns do not count. */
function rootsOf(kind: PathAccess, { grant: { layers } }: RefusalContext): IsRoot {
  return (resolved) => {
    const above = resolved.slice(0, resolved.lastIndexOf("/")) || "/";
    const ofAbove = evaluateAccess(layers, { kind, path: above }).layers;
    return evaluateAccess(layers, { kind, path: resolved }).layers.some(
      ({ state, rule }, index) =>
        state === "granted" && rule !== undefined && !/[*?]/.test(rule) && (above === resolved || ofAbove[index]?.state !== "granted"),
    );
  };
}

/** The proof that a request may be made, or the denial. The caller records `act` in both cases. */
type UrlCheck =
  | {
      readonly ok: true;
      readonly url: CheckedUrl;
      readonly act: CapabilityAct;
      /** Returns the denial for an address that `permitsAddress` refused. */
      readonly refuseAddress: (address: string) => UrlDenied;
    }
  | UrlDenied;

/** The request may not be made. */
interface UrlDenied {
  readonly ok: false;
  readonly message: string;
  readonly act: CapabilityAct;
}

/**
 * Checks whether the grant allows a request to `url`, which is `http:` or `https:`. Scheme, host, port, method and path count.
 *
 * The proof's `permitsAddress` checks every resolved address before a connection (SPEC PA4, C6).
 */
export function checkUrl(method: string, url: URL, context: RefusalContext): UrlCheck {
  const { layers } = context.grant;
  const query = toNetQuery(url, method);
  const subject = `${url.hostname}:${query.port}`;
  const verdict = evaluateAccess(layers, query);
  const act: CapabilityAct = { ...toAct("net", subject, verdict), method };
  if (verdict.state !== "granted") return { ok: false, message: refusalMessage(query, subject, verdict, context), act };

  const permitsAddress = (address: string): boolean => evaluateAddress(layers, query, address).state === "granted";
  const refuseAddress = (address: string): UrlDenied => {
    const { layer, rule } = evaluateAddress(layers, query, address);
    const value = `${address.includes(":") ? `[${address}]` : address}:${query.port}`;
    const refused: CapabilityAct = { decision: "denied", permission: "net", value, layer, ...(rule !== undefined && { rule }) };
    return { ok: false, message: addressRefusal(query, address, context), act: refused };
  };
  const bare = `${url.origin}${url.pathname}${url.search}`;
  return { ok: true, url: proveUrl({ url: bare, method, permitsAddress }), act, refuseAddress };
}

/** Converts a URL to a query of the net permission, with the default port filled in. */
export function toNetQuery(url: URL, method?: string): NetQuery & { readonly host: string; readonly port: number } {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return { kind: "net", host: url.hostname, port, path: url.pathname, ...(method !== undefined && { method }) };
}

/** Whether a program may run, checked before it is looked up. */
type ProgramCheck =
  /** `name` is the bare name, or an absolute path. */
  | { readonly ok: true; readonly name: string }
  | { readonly ok: false; readonly name: string; readonly message: string; readonly isGrantable: boolean; readonly act: CapabilityAct };

/** Checks whether the grant allows a program: a bare name, or a path relative to `context.cwd`. */
export function checkProgram(written: string, context: RefusalContext): ProgramCheck {
  const name = namesPath(written) ? normalizePath(written, context.cwd) : isProgramName(written) ? written : undefined;
  const query = { kind: "run", name: name ?? written } as const;
  // An invalid name is refused even if everything is granted.
  const verdict = evaluateAccess(name === undefined ? [] : context.grant.layers, query);
  if (verdict.state === "granted") return { ok: true, name: query.name };
  const isGrantable = verdict.state === "prompt";
  const message =
    name === undefined
      ? `Requires run access to ${JSON.stringify(written.slice(0, 1_000))}, which is not a valid program name`
      : `Requires run access to "${written}", which ${isGrantable ? "is not granted" : `the ${verdict.decidedBy.layer} layer does not allow`}`;
  return { ok: false, name: query.name, message, isGrantable, act: toAct("run", query.name, verdict) };
}

/** A leading dash means an option: a mistake at best. */
function isProgramName(written: string): boolean {
  return written !== "" && !written.startsWith("-") && !/[\p{Cc}\p{Surrogate}\\]/u.test(written);
}

/**
 * Returns the proof that a program file, found for an allowed name, may run; or the rule that denies the file or the target of its links.
 */
export function proveFound(
  found: { readonly path: string; readonly real: string; readonly written: string },
  context: RefusalContext,
):
  | { readonly ok: true; readonly program: CheckedProgram; readonly act: CapabilityAct }
  | { readonly ok: false; readonly message: string; readonly act: CapabilityAct } {
  const { path, real, written } = found;
  for (const name of new Set([path, real])) {
    const denial = evaluateAccess(context.grant.layers, { kind: "run", name }).layers.find(
      ({ state, rule }) => state === "denied" && rule !== undefined,
    );
    if (denial === undefined) continue;
    const { layer, rule = "" } = denial;
    const message = `Requires run access to "${written}", which is a program that the ${layer} layer denies ("${rule}")`;
    return { ok: false, message, act: { decision: "denied", permission: "run", value: name, layer, rule } };
  }
  const asked = namesPath(written) ? path : written;
  const { layer, rule } = evaluateAccess(context.grant.layers, { kind: "run", name: asked }).decidedBy;
  const act: CapabilityAct = { decision: "granted", permission: "run", value: path, layer, ...(rule !== undefined && { rule }) };
  return { ok: true, program: proveProgram({ path, written }), act };
}

/** Combines two proofs of a path: the resolved path must pass both. */
export function bothPaths<A extends PathAccess>(first: CheckedPath<PathAccess>, second: CheckedPath<A>): CheckedPath<A> {
  const { path, written } = second;
  const isRoot: IsRoot = (resolved) => first.isRoot?.(resolved) === true || second.isRoot?.(resolved) === true;
  return provePath<A>({ path, written, permits: (...place) => first.permits(...place) && second.permits(...place), isRoot });
}

/**
 * Creates a proof for the host's own look at exactly this path, without following links, or at the whole tree below it.
 *
 * It proves nothing about a grant: callers that show a guest the result must check its grant first. Only `host/overlay/` and `host/undo/`
 * may use it (checked by the architecture test).
 */
export function hostPlace<A extends PathAccess>(path: string, reach: "place" | "tree" = "place"): CheckedPath<A> {
  const permits = (resolved: string): boolean => (reach === "tree" ? isAtOrBelow(resolved, path) : resolved === path);
  return provePath<A>({ path, written: path, permits });
}

/** Creates the journal entry of an act, allowed or denied. */
export function toAct(permission: string, value: string, verdict: AccessVerdict): CapabilityAct {
  const { layer, rule } = verdict.decidedBy;
  return { decision: verdict.state === "granted" ? "granted" : "denied", permission, value, layer, ...(rule !== undefined && { rule }) };
}

/** Returns why `normalizePath` refused the text. */
function malformedReason(written: string): Malformed {
  if (written === "") return "empty";
  if (written.includes("\0")) return "nul";
  return /\p{Surrogate}/u.test(written) ? "not_text" : "too_long";
}
