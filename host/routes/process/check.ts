/** Answers one of Deno's permission checks as a bridge would answer the act (SPEC O1, PA4, C6). */

import {
  type AccessQuery,
  type AccessVerdict,
  type DenoKind,
  evaluateAccess,
  evaluateAddress,
  parseAccessQuery,
} from "../../../manifests/mod.ts";
import { toAct } from "../../capabilities/checked.ts";
import { refusalMessage } from "../../capabilities/refusal.ts";
import type { Spelling } from "../../platform/proof.ts";
import { isKernelPath } from "../../platform/files/kernel-paths.ts";
import type { CheckAnswer, CheckContext } from "./check-answer.ts";
import { checkRun } from "./check-run.ts";
import { NetworkError } from "../../platform/network/network-types.ts";
import { FileError, type Files } from "../../platform/platform.ts";

/** One check by Deno. Without a value it is about the whole kind. */
export interface Check {
  readonly permission: string;
  readonly value: string | undefined;
}

/** Deno's kinds; `tools` and `mcp` are bascule's own. */
const KINDS: ReadonlySet<string> = new Set<DenoKind>(["read", "write", "net", "env", "sys", "run", "ffi", "import"]);
/** Twice the longest path. */
export const MAX_VALUE_LENGTH = 8_192;
const SHOWN_LENGTH = 256;

export async function answerCheck({ permission, value }: Check, context: CheckContext): Promise<CheckAnswer> {
  // A call that was told to stop gets its grace period to tidy up, not to go on.
  if (context.signal.aborted)
    return refuse(permission, value, "call", `The call was ended, so it has no more ${permission.slice(0, 100)} access`);
  if (!isKind(permission)) return refuse(permission, value, "protocol", `Unknown permission "${permission.slice(0, 100)}"`);
  if (value !== undefined && value.length > MAX_VALUE_LENGTH)
    return refuse(permission, value, "protocol", `The value for ${permission} access is longer than ${MAX_VALUE_LENGTH} characters`);
  // The process may have changed its folder before it acts: Deno sends the path as written, without its base.
  const isFile = permission === "read" || permission === "write" || permission === "ffi";
  if (isFile && value !== undefined && !value.startsWith("/"))
    return refuse(permission, value, "protocol", `Requires ${permission} access to "${value}": write it as an absolute path`);

  const parsed = parseAccessQuery(permission, value, "/");
  if (!parsed.ok) return refuse(permission, value, "protocol", parsed.message);
  const { query } = parsed;
  if (query.kind === "run" && value !== undefined) return await checkRun(value, context);
  const verdict = evaluateAccess(context.grant.layers, query);
  if (verdict.state !== "granted") return denied(query, value, verdict, context);
  // Local sockets belong to programs of this machine that do not check their clients, for example the host's own socket.
  if (isLocalSocket(query) && !context.grant.layers.some(({ permissions }) => Array.isArray(permissions.entries.get("net")?.allow)))
    return refuse(
      "net",
      value,
      "local sockets",
      `Requires net access to "${value ?? ""}" by name: "net": true does not cover local sockets`,
    );
  // Write access covers everything below the path, and Deno does not ask again.
  if (query.kind === "write" && query.path !== undefined && verdict.partial === true)
    return refuse("write", value, verdict.decidedBy.layer, `Requires write access to everything in "${value}", but a part of it is denied`);
  const elsewhere = isFile
    ? await checkRealPath(query, value, context)
    : query.kind === "net"
      ? await checkAddresses(query, value, context)
      : undefined;
  return elsewhere ?? { ok: true, act: toAct(permission, value ?? "", verdict), query };
}

function isLocalSocket(query: AccessQuery): boolean {
  return query.kind === "net" && query.host !== undefined && /^(?:unix|vsock):/.test(query.host);
}

function isKind(permission: string): permission is DenoKind {
  return KINDS.has(permission);
}

function denied(query: AccessQuery, value: string | undefined, verdict: AccessVerdict, context: CheckContext): CheckAnswer {
  return {
    ok: false,
    act: toAct(query.kind, (value ?? "").slice(0, MAX_VALUE_LENGTH), verdict),
    reason: refusalMessage(query, value, verdict, context),
  };
}

/** Refuses a check that no permission layer decided. */
function refuse(permission: string, value: string | undefined, layer: string, reason: string): CheckAnswer {
  const act = {
    decision: "denied",
    permission: permission.slice(0, SHOWN_LENGTH),
    value: (value ?? "").slice(0, SHOWN_LENGTH),
    layer,
  } as const;
  return { ok: false, act, reason };
}

/** Checks that the target of links is granted too. Returns undefined if it is. */
async function checkRealPath(query: AccessQuery, value: string | undefined, context: CheckContext): Promise<CheckAnswer | undefined> {
  if (!("path" in query) || query.path === undefined) return undefined;
  const { kind, path } = query;
  const real = await realPathOf(path, context);
  if ([path, real ?? path].some((place) => isKernelPath(place, context.platform.environment.os)))
    return refuse(
      kind,
      value,
      "devices",
      `Requires ${kind} access to "${value ?? ""}", which no grant covers because it belongs to the system`,
    );
  const permits = (place: string, spelling?: Spelling): boolean => {
    const query = { kind, path: place, ...(spelling === "any" && { anySpelling: true as const }) };
    const { state, partial } = evaluateAccess(context.grant.layers, query);
    return state === "granted" && !(kind === "write" && partial === true);
  };
  if (real !== undefined && (await context.platform.files.permitsPlace({ permits }, real))) return undefined;
  return refuse(kind, value, "resolved path", `Requires ${kind} access to "${value ?? ""}", which leads outside of what is granted`);
}

/** Returns the real path of the existing part plus the rest of the name; undefined if a link is dangling or circular. */
export async function realPathOf(path: string, { platform: { files } }: Pick<CheckContext, "platform">): Promise<string | undefined> {
  let rest = "";
  for (let there = path; ; there = parentOf(there)) {
    try {
      const real = await files.realPath(there);
      return rest === "" ? real : `${real === "/" ? "" : real}${rest}`;
    } catch (thrown) {
      if (!(thrown instanceof FileError)) throw thrown;
      const isMissing = thrown.code === "not_found" || thrown.code === "not_a_directory";
      if (!isMissing || there === "/" || (await isThere(there, files))) return undefined;
      rest = there.slice(parentOf(there) === "/" ? 0 : parentOf(there).length) + rest;
    }
  }
}

/** Whether the path exists. A dangling link exists. */
async function isThere(path: string, files: Files): Promise<boolean> {
  try {
    return (await files.lstat(path)) !== undefined;
  } catch (thrown) {
    if (thrown instanceof FileError) return thrown.code !== "not_a_directory";
    throw thrown;
  }
}

function parentOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end <= 0 ? "/" : path.slice(0, end);
}

/** Checks every address that the name resolves to now. Deno resolves it again: see docs/security.md. */
async function checkAddresses(query: AccessQuery, value: string | undefined, context: CheckContext): Promise<CheckAnswer | undefined> {
  if (query.kind !== "net" || query.host === undefined || isLocalSocket(query)) return undefined;
  const { grant, platform, signal, holder } = context;
  const asked = { signal, ...holder };
  try {
    for (const address of await platform.network.addresses(query.host, asked)) {
      const { state, layer } = evaluateAddress(grant.layers, query, address);
      if (state !== "granted")
        return refuse(
          "net",
          value,
          layer,
          `Requires net access to "${value ?? ""}", whose address is not granted (grant the address too, with --allow-net=<address>)`,
        );
    }
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof NetworkError)) throw thrown;
    return refuse("net", value, "resolved address", `Requires net access to "${value ?? ""}", whose name does not resolve`);
  }
}
