/** Checks arguments that name resources, before anything runs (SPEC C5). */

import {
  canonicalHost,
  evaluateAccess,
  evaluateAddress,
  isAtOrBelow,
  isJsonObject,
  type JsonValue,
  type NetQuery,
  parseIp,
  type Requirement,
} from "../../manifests/mod.ts";
import { pathEscapes, toolError, type ToolErrorData } from "../call/errors.ts";
import { FileError, type Files } from "../platform/platform.ts";
import { checkPath, checkProgram, toNetQuery } from "./checked.ts";
import { readTarget } from "./network/net-request.ts";
import { addressRefusal, grantHint, holdsAllOfNet, programHint, type RefusalContext, refusalMessage } from "./refusal.ts";

/** The caller and its grant, and the host's files to resolve paths with. */
export interface RequiredContext extends RefusalContext {
  readonly files: Pick<Files, "realPath" | "lstat" | "permitsPlace">;
}

/** The arguments with checked values in place of the written ones, or the error that refuses the call. */
export type RequiredCheck = { readonly ok: true; readonly args: JsonValue } | { readonly ok: false; readonly error: ToolErrorData };

/**
 * Resolves each argument that `requires` names, and checks the resolved value against the grant.
 *
 * A path is resolved against the workspace with links followed; for a missing path, the deepest existing folder is resolved. The tool gets
 * the resolved path. An absent argument is skipped; a list is checked item by item.
 */
export async function checkRequired(requires: readonly Requirement[], args: JsonValue, context: RequiredContext): Promise<RequiredCheck> {
  if (requires.length === 0 || !isJsonObject(args)) return { ok: true, args };
  const checked = new Map(Object.entries(args));
  for (const requirement of requires) {
    const value = checked.get(requirement.arg);
    if (value === undefined || value === null) continue;
    const outcome = await checkValue(requirement, value, context);
    if (!outcome.ok) return outcome;
    checked.set(requirement.arg, outcome.args);
  }
  return { ok: true, args: Object.freeze(Object.fromEntries(checked)) };
}

async function checkValue(requirement: Requirement, value: JsonValue, context: RequiredContext): Promise<RequiredCheck> {
  if (typeof value === "string") return await checkOne(requirement, value, context);
  const items = Array.isArray(value) ? value : undefined;
  if (items === undefined) return { ok: false, error: notAName(requirement) };
  const resolved: JsonValue[] = [];
  for (const item of items) {
    if (typeof item !== "string") return { ok: false, error: notAName(requirement) };
    const outcome = await checkOne(requirement, item, context);
    if (!outcome.ok) return outcome;
    resolved.push(outcome.args);
  }
  return { ok: true, args: Object.freeze(resolved) };
}

async function checkOne({ capability, arg }: Requirement, written: string, context: RequiredContext): Promise<RequiredCheck> {
  if (capability === "net") return checkHost(arg, written, context);
  return capability === "run" ? checkRun(arg, written, context) : await checkPathArgument(capability, arg, written, context);
}

/** Only checks the name: a program is looked up when it is run. A path stays the same. */
function checkRun(arg: string, written: string, context: RequiredContext): RequiredCheck {
  const check = checkProgram(written, context);
  if (check.ok) return { ok: true, args: check.name };
  const details = { program: written.slice(0, 1_000), argument: arg };
  return {
    ok: false,
    error: toolError("permission_denied", check.message, { details, ...(check.isGrantable && { hint: programHint(check.name) }) }),
  };
}

async function checkPathArgument(access: "read" | "write", arg: string, written: string, context: RequiredContext): Promise<RequiredCheck> {
  const check = checkPath(access, written, context);
  if (!check.ok && check.denial.kind === "not_capable") {
    const { query, message, verdict } = check.denial;
    const hint = verdict.state === "prompt" ? grantHint(query, context) : undefined;
    if (query.kind === access && !isAtOrBelow(query.path ?? "", context.cwd)) return { ok: false, error: pathEscapes(written, hint) };
    return { ok: false, error: toolError("fs_denied", message, { details: { path: written, argument: arg }, ...(hint && { hint }) }) };
  }
  if (!check.ok) {
    const message =
      check.denial.kind === "malformed" ? `Argument "${arg}" is not a valid path` : `Argument "${arg}" names a path that does not exist`;
    return { ok: false, error: toolError("fs_denied", message, { details: { path: written.slice(0, 1_000), argument: arg } }) };
  }
  const resolved = await resolvePlace(check.path.path, context.files);
  if (resolved === undefined || !(await context.files.permitsPlace(check.path, resolved)))
    return { ok: false, error: pathEscapes(written) };
  return { ok: true, args: resolved };
}

/** Returns where the path leads. Undefined if it leads through a dangling link, or cannot be resolved. */
export async function resolvePlace(path: string, files: Pick<Files, "realPath" | "lstat">): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = path; ; at = parentOf(at)) {
    try {
      const real = await files.realPath(at);
      return missing.length === 0 ? real : `${real === "/" ? "" : real}/${missing.join("/")}`;
    } catch (thrown) {
      if (!(thrown instanceof FileError)) throw thrown;
      if (thrown.code !== "not_found" || at === parentOf(at)) return undefined;
    }
    // A dangling link: its target could appear anywhere.
    if ((await files.lstat(at)) !== undefined) return undefined;
    missing.unshift(at.slice(at.lastIndexOf("/") + 1));
  }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end <= 0 ? "/" : path.slice(0, end);
}

/**
 * Checks a URL or `host[:port]`. The tool gets the URL in canonical form, so that it uses what was checked.
 *
 * Addresses behind a name are checked on connection; a literal address is checked now (SPEC C6).
 */
function checkHost(arg: string, written: string, context: RequiredContext): RequiredCheck {
  const target = toNetTarget(written);
  if (target === undefined) {
    return {
      ok: false,
      error: toolError("net_denied", `Argument "${arg}" is neither an http(s) URL nor a host`, {
        details: { url: written.slice(0, 1_000), argument: arg },
      }),
    };
  }
  const { query, args } = target;
  const refusal = refusalOf(query, context);
  if (refusal === undefined) return { ok: true, args };
  const { message, isGrantable } = refusal;
  const hint = isGrantable ? { hint: grantHint(query, context) } : {};
  return { ok: false, error: toolError("net_denied", message, { details: { url: written.slice(0, 1_000), argument: arg }, ...hint }) };
}

/** A grant may name methods, but the argument has none: it passes if any method would. The request itself is checked later. */
const ANY_METHOD = [undefined, "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

function refusalOf(query: HostQuery, context: RequiredContext): { readonly message: string; readonly isGrantable: boolean } | undefined {
  const { layers } = context.grant;
  const asked = ANY_METHOD.map((method) => ({ ...query, ...(method !== undefined && { method }) }));
  const granted = asked.find((one) => evaluateAccess(layers, one).state === "granted");
  if (granted === undefined) {
    const verdict = evaluateAccess(layers, query);
    const subject = query.port === undefined ? query.host : `${query.host}:${query.port}`;
    return { message: refusalMessage(query, subject, verdict, context), isGrantable: verdict.state === "prompt" };
  }
  const address = canonicalHost(query.host);
  if (address === undefined || parseIp(address) === undefined) return undefined;
  const verdict = evaluateAddress(layers, granted, address);
  return verdict.state === "granted"
    ? undefined
    : { message: addressRefusal(granted, address, context), isGrantable: verdict.state === "prompt" && !holdsAllOfNet(context) };
}

type HostQuery = NetQuery & { readonly host: string };

function toNetTarget(written: string): { readonly query: HostQuery; readonly args: string } | undefined {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(written);
  const target = readTarget(isUrl ? written : `http://${written}`);
  if (typeof target === "string" || target.url.hostname === "") return undefined;
  const { url, authorization } = target;
  if (isUrl) return { query: toNetQuery(url), args: withCredentials(written, url) };
  // Without a scheme only a host is allowed, nothing more of a URL.
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "" || authorization !== undefined) return undefined;
  return { query: { kind: "net", host: url.hostname, ...(url.port !== "" && { port: Number(url.port) }) }, args: url.host };
}

/** Returns the canonical URL with the user and password of the written one. */
function withCredentials(written: string, bare: URL): string {
  const given = new URL(written);
  const url = new URL(bare);
  url.username = given.username;
  url.password = given.password;
  return url.href;
}

const NAMES = {
  read: { wanted: "a path", code: "fs_denied" },
  write: { wanted: "a path", code: "fs_denied" },
  net: { wanted: "a URL or a host", code: "net_denied" },
  run: { wanted: "a program", code: "permission_denied" },
} as const;

function notAName({ capability, arg }: Requirement): ToolErrorData {
  const { wanted, code } = NAMES[capability];
  return toolError(code, `Argument "${arg}" is not ${wanted}`, { details: { argument: arg } });
}
