/** Asks the user at the terminal for the grant that a denied call lacked, and makes the call again with it (SPEC DI6). */

import { movedPath, type PermissionKind, type Permissions } from "../../../manifests/mod.ts";
import type { ToolFailure, ToolResult } from "../../call/call.ts";
import type { CallGrant } from "../../call/grant.ts";
import { messageOf } from "../../call/answer-text.ts";
import { isList } from "../../policy/merge-permissions.ts";
import { count, printable } from "../../primitives/text.ts";
import { askYes } from "./ask.ts";
import type { ClientContext } from "./command.ts";
import { grantedLine } from "./grant-advice.ts";
import type { HostAccess } from "./host-access.ts";
import { pathFrom } from "./paths.ts";
import { grantedByFlags } from "./read-permission-flags.ts";
import type { ReaderPlace } from "./plugin-text.ts";

/** Maximum number of grants that one command offers. */
const MAX_ASKS = 8;
const MAX_PATHS = 3;

/** One attempt at the call. */
export interface Attempt {
  readonly result: ToolResult;
  /** Whether values that the tool yielded are written already. */
  readonly isWritten: boolean;
}

/**
 * Makes a call again that failed. While it fails for want of a grant, offers the smallest grant that would have allowed it: for one call, which is not
 * stored, or as `bascule grant`. Offers nothing without a user at the terminal, nor for what policy or a denial refuses.
 */
export async function askAndCall(
  context: ClientContext,
  host: HostAccess,
  place: ReaderPlace,
  { first, call }: { readonly first: Attempt; readonly call: (callGrant?: CallGrant) => Promise<Attempt> },
): Promise<ToolResult> {
  const { platform, output } = context;
  let attempt = first;
  let once: CallGrant | undefined;
  const offered = new Set<string>();
  while (offered.size < MAX_ASKS) {
    const { result } = attempt;
    const wanted = result.ok ? undefined : await wantedBy(result, context, host, place);
    const key = JSON.stringify(wanted);
    // Offered again, the grant does not help.
    if (result.ok || wanted === undefined || offered.has(key)) return result;
    offered.add(key);
    platform.terminal.error(`${output.style.yellow("denied")} ${printable(messageOf(result.error).split("\n", 1)[0] ?? "")}\n`);
    // A grant for one call counts for its own plugin, not for plugins that it calls.
    const answer = await ask(context, place, { ...wanted, isOnceOffered: wanted.plugin === result.plugin });
    if (answer === "no") return result;
    if (answer === "always") {
      const permissions = grantedByFlags(wanted.permissions, { ...platform.environment, ...place });
      await host.operations.grant(wanted.plugin, permissions);
      platform.terminal.error(`${grantedLine(wanted.plugin, permissions, { ...place, program: output.program })}\n`);
    } else once = { plugin: wanted.plugin, permissions: joined(once?.permissions ?? {}, wanted.permissions) };
    if (!(await mayRepeat(context, host, attempt))) return result;
    attempt = await call(once);
  }
  return attempt.result;
}

/** Returns the smallest grant that would have allowed the call. Before the code ran that is all of a kind that the plugin requests. */
async function wantedBy(
  { error, plugin }: ToolFailure,
  { platform: { environment } }: ClientContext,
  host: HostAccess,
  { workspace }: ReaderPlace,
): Promise<CallGrant | undefined> {
  const kind = error.details?.["ungranted"];
  if (error.hint?.grant !== undefined || plugin === undefined || (kind !== "write" && kind !== "net")) return error.hint?.grant;
  const { missing } = (await host.operations.info(plugin)).plugin;
  const permissions = grantedByFlags(missing[kind] === undefined ? {} : { [kind]: missing[kind] }, { ...environment, workspace });
  return Object.keys(permissions).length === 0 ? undefined : { plugin, permissions };
}

async function ask(
  { platform, output, signal }: ClientContext,
  place: ReaderPlace,
  { plugin, permissions, isOnceOffered }: CallGrant & { readonly isOnceOffered: boolean },
): Promise<"once" | "always" | "no"> {
  const what = await grantText(permissions, place, platform);
  const choices = isOnceOffered ? "[y]es once / [a]lways / [n]o" : "[a]lways / [n]o";
  const answer = await platform.terminal.ask(`${output.style.bold(`grant ${what} to ${printable(plugin)}?`)} ${choices} `, signal);
  // Without an answer the cursor is still on the line of the prompt.
  if (answer === undefined) platform.terminal.error("\n");
  if (/^\s*a(?:lways)?\s*$/iu.test(answer ?? "")) return "always";
  return isOnceOffered && /^\s*y(?:es)?\s*$/iu.test(answer ?? "") ? "once" : "no";
}

const PHRASES: Readonly<Record<PermissionKind, string>> = {
  read: "read of",
  write: "write of",
  net: "network access to",
  env: "the variable",
  sys: "system information",
  run: "start of",
  ffi: "the library",
  import: "imports from",
  tools: "calls of",
  mcp: "the server",
};

/** Returns, for example, `read of docs (a folder, with everything below)`. */
async function grantText(permissions: Permissions, { cwd, workspace }: ReaderPlace, { files }: ClientContext["platform"]): Promise<string> {
  const parts: string[] = [];
  for (const [kind, value] of Object.entries(permissions) as readonly [PermissionKind, Permissions[PermissionKind]][]) {
    // The keys of a permission set.
    const isPath = kind === "read" || kind === "write";
    for (const item of isList(value) ? value : []) {
      const text = typeof item === "string" ? item : "host" in item ? item.host : item.name;
      const path = isPath ? (movedPath(text, "$workspace", workspace) ?? text) : text;
      const isFolder = isPath && path.startsWith("/") && (await files.stat(path))?.kind === "directory";
      const shown = isPath && path.startsWith("/") ? pathFrom(cwd, path) : path;
      parts.push(`${PHRASES[kind]} ${printable(shown)}${isFolder ? " (a folder, with everything below)" : ""}`);
    }
    if (value === true) parts.push(`all of ${kind}`);
  }
  return parts.join(" and ");
}

/** A call that may have changed something is not made twice in silence. */
async function mayRepeat(context: ClientContext, host: HostAccess, attempt: Attempt): Promise<boolean> {
  const { plugin, limitsUsed } = attempt.result;
  const done = [...doneBy(attempt)];
  // Writes to a plugin's own data are counted, but not listed.
  if (done.length === 0 && plugin !== undefined && (limitsUsed.bytesWritten ?? 0) > 0) {
    const { requested } = (await host.operations.info(plugin)).plugin;
    if (JSON.stringify(requested).includes("$data")) done.push("may have changed its own data");
  }
  if (done.length === 0) return true;
  context.platform.terminal.error(`${context.output.style.yellow("note")} The call ${done.join(", and ")} before it was denied\n`);
  return await askYes(context, "Run it again from the start?");
}

/** Describes what a call did that a second one would do again; empty if the host knows that it did nothing. */
function doneBy({ result, isWritten }: Attempt): readonly string[] {
  const { filesModified, limitsUsed, route, sideEffects, steps = [], commandExecuted, dryRun } = result;
  const done: string[] = [];
  if (isWritten) done.push("wrote output");
  if (dryRun !== undefined) return done;
  if (filesModified.length > 0) {
    const more = filesModified.length > MAX_PATHS ? ", …" : "";
    const paths = filesModified.slice(0, MAX_PATHS).map(printable).join(", ");
    done.push(`changed ${count(filesModified.length, "file")} (${paths}${more})`);
  }
  if ((limitsUsed.requests ?? 0) > 0) done.push(`sent ${count(limitsUsed.requests ?? 0, "request")}`);
  if (steps.length > 0) done.push(`made ${count(steps.length, "call")} of tools`);
  if (commandExecuted !== undefined) done.push("started a program");
  if (done.length > 0 || result.ok) return done;
  // Only the sandbox reports every act. A denial before the start has another code.
  const isUnknown = route !== undefined && route !== "wasm" && result.error.code === "tool_failed";
  return isUnknown && sideEffects.some((effect) => effect !== "read") ? ["may have changed something"] : [];
}

/** Unites two sets of lists, as those of hints are. */
function joined(left: Permissions, right: Permissions): Permissions {
  const kinds = new Set([...Object.keys(left), ...Object.keys(right)] as PermissionKind[]); // The keys of permission sets.
  return Object.fromEntries(
    [...kinds].map((kind) => {
      const [one, other] = [left[kind] ?? [], right[kind] ?? []];
      return [kind, isList(one) && isList(other) ? [...new Set([...one, ...other])] : true];
    }),
  );
}
