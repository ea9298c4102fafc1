/** Checks arguments that name resources before anything runs (SPEC C5). */

import { type AccessQuery, evaluateAccess, isJsonObject, type JsonValue, type Requirement } from "../../manifests/mod.ts";
import { pathEscapes, toolError, type ToolErrorData } from "../errors.ts";
import { FileError, type Files } from "../platform/platform.ts";
import { checkPath } from "./checked.ts";
import { grantHint, type RefusalContext, refusalMessage } from "./refusal.ts";

/** Who asks, and the host's own files to resolve paths with. */
export interface RequiredContext extends RefusalContext {
  readonly files: Pick<Files, "realPath" | "lstat">;
}

/** The arguments with each checked value in place of what was written, or why the call must not run. */
export type RequiredCheck = { readonly ok: true; readonly args: JsonValue } | { readonly ok: false; readonly error: ToolErrorData };

/**
 * Takes each argument that `requires` names, resolves it, and asks the grant about what it leads to.
 *
 * A path is resolved against the workspace, links followed, the deepest existing folder for what does not exist yet;
 * the tool gets that resolved path. An argument that is absent is left alone; a list is checked item by item.
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
  return capability === "net" ? checkHost(arg, written, context) : await checkPathArgument(capability, arg, written, context);
}

async function checkPathArgument(access: "read" | "write", arg: string, written: string, context: RequiredContext): Promise<RequiredCheck> {
  const check = checkPath(access, written, context);
  if (!check.ok && check.denial.kind === "not_capable") {
    const { query, message, verdict } = check.denial;
    const hint = verdict.state === "prompt" ? grantHint(query, context) : undefined;
    if (query.kind === access && !isInside(query.path ?? "", context.cwd)) return { ok: false, error: pathEscapes(written, hint) };
    return { ok: false, error: toolError("fs_denied", message, { details: { path: written, argument: arg }, ...(hint && { hint }) }) };
  }
  if (!check.ok) {
    const message = check.denial.kind === "malformed" ? `Argument "${arg}" is no path` : `Argument "${arg}" names nothing that is there`;
    return { ok: false, error: toolError("fs_denied", message, { details: { path: written.slice(0, 1_000), argument: arg } }) };
  }
  const resolved = await resolvePlace(check.path.path, context.files);
  if (resolved === undefined || !check.path.permits(resolved)) return { ok: false, error: pathEscapes(written) };
  return { ok: true, args: resolved };
}

/** Where the path leads; undefined if it leads through a link to nothing, or nobody can say. */
async function resolvePlace(path: string, files: RequiredContext["files"]): Promise<string | undefined> {
  const missing: string[] = [];
  for (let at = path; ; at = parentOf(at)) {
    try {
      const real = await files.realPath(at);
      return missing.length === 0 ? real : `${real === "/" ? "" : real}/${missing.join("/")}`;
    } catch (thrown) {
      if (!(thrown instanceof FileError)) throw thrown;
      if (thrown.code !== "not_found" || at === parentOf(at)) return undefined;
    }
    // It is there and yet leads nowhere: a link whose target could appear anywhere.
    if ((await files.lstat(at)) !== undefined) return undefined;
    missing.unshift(at.slice(at.lastIndexOf("/") + 1));
  }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end <= 0 ? "/" : path.slice(0, end);
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** A URL or `host[:port]`; addresses behind the name are asked when it is connected to (SPEC C6). */
function checkHost(arg: string, written: string, context: RequiredContext): RequiredCheck {
  const query = toNetQuery(written);
  if (query === undefined) {
    return {
      ok: false,
      error: toolError("net_denied", `Argument "${arg}" is neither an http(s) URL nor a host`, {
        details: { url: written, argument: arg },
      }),
    };
  }
  const verdict = evaluateAccess(context.grant.layers, query);
  if (verdict.state === "granted") return { ok: true, args: written };
  const subject = query.port === undefined ? query.host : `${query.host}:${query.port}`;
  const message = refusalMessage(query, subject, verdict, context);
  const hint = verdict.state === "prompt" ? { hint: grantHint(query, context) } : {};
  return { ok: false, error: toolError("net_denied", message, { details: { url: written, argument: arg }, ...hint }) };
}

type NetQuery = Extract<AccessQuery, { kind: "net" }> & { readonly host: string };

function toNetQuery(written: string): NetQuery | undefined {
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(written);
  const url = URL.parse(isUrl ? written : `http://${written}`);
  if (url === null || url.hostname === "" || !["http:", "https:"].includes(url.protocol)) return undefined;
  // Without a scheme only a host is meant; what looks like more is no host.
  if (!isUrl && (url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "")) return undefined;
  const port = url.port === "" ? (isUrl ? { port: url.protocol === "https:" ? 443 : 80 } : {}) : { port: Number(url.port) };
  return { kind: "net", host: url.hostname, ...port, ...(isUrl && { path: url.pathname }) };
}

function notAName({ capability, arg }: Requirement): ToolErrorData {
  const wanted = capability === "net" ? "a URL or a host" : "a path";
  return toolError(capability === "net" ? "net_denied" : "fs_denied", `Argument "${arg}" is not ${wanted}`, { details: { argument: arg } });
}
