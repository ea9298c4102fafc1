/**
 * Environment of a program that a tool runs: a few usual variables and those that the grant names, never all of the host's (SPEC G2).
 *
 * Variables can choose the code that a program runs (`LD_PRELOAD`, `GIT_SSH_COMMAND`), so the call's own variables need the grant too.
 */

import { evaluateAccess } from "../../../manifests/mod.ts";
import { PermissionDenied, ToolFailed } from "../../tools/tool-error.ts";
import type { BridgeContext } from "../bridge.ts";
import { toAct } from "../checked.ts";
import { refusalMessage } from "../refusal.ts";

type Context = Pick<BridgeContext, "grant" | "platform" | "secrets" | "record" | "cwd" | "plugin">;

/** User, home, locale, time zone: many programs fail without them. */
const USUAL = ["HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "TZ", "TMPDIR"];
const USUAL_ON_WINDOWS = ["SystemRoot", "WINDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP", "PATHEXT"];

/** Variables of the dynamic linker, which replace a program's code. They are never passed. */
const LINKER = /^(LD|DYLD)_/i;
const MAX_BYTES = 128 * 1024;

/**
 * @param folders entries of `PATH`
 * @throws {PermissionDenied} for a variable of the call that the grant does not cover
 */
export function programEnvironment(
  given: Readonly<Record<string, string>>,
  folders: readonly string[],
  context: Context,
): Readonly<Record<string, string>> {
  const { environment } = context.platform;
  const isWindows = environment.os === "windows";
  const variables = new Map<string, string>();
  for (const name of environment.names()) {
    const isUsual = (isWindows ? USUAL_ON_WINDOWS : USUAL).includes(name);
    const value = isUsual ? usual(name, context) : granted(name, context);
    if (value !== undefined) variables.set(name, value);
  }
  for (const [name, value] of Object.entries(given)) {
    checkVariable(name, value, context);
    variables.set(name, value);
  }
  variables.set("PATH", folders.join(isWindows ? ";" : ":"));
  return Object.fromEntries(variables);
}

/** Returns the value unless a rule denies the name. */
function usual(name: string, { grant, platform, secrets }: Context): string | undefined {
  const { layers } = evaluateAccess(grant.layers, { kind: "env", name });
  const isDenied = layers.some(({ state, rule }) => state === "denied" && rule !== undefined);
  return isDenied || secrets.has(name) ? undefined : platform.environment.get(name);
}

/** Secrets are not passed: their values may only go to certain hosts, and a program could send them anywhere (SPEC C7). */
function granted(name: string, { grant, platform, secrets, record }: Context): string | undefined {
  if (LINKER.test(name) || secrets.has(name)) return undefined;
  const verdict = evaluateAccess(grant.layers, { kind: "env", name });
  if (verdict.state !== "granted") return undefined;
  record(toAct("env", name, verdict));
  return platform.environment.get(name);
}

function checkVariable(name: string, value: string, context: Context): void {
  if (name === "" || /[=\0]/.test(name) || value.includes("\0"))
    throw new ToolFailed(
      `Cannot set the variable ${JSON.stringify(name)}: the name is empty, or name or value holds "=" or a NUL character`,
    );
  if (name.length + value.length > MAX_BYTES) throw new ToolFailed(`The variable "${name}" is longer than ${MAX_BYTES} characters`);
  const query = { kind: "env", name } as const;
  const verdict = evaluateAccess(context.grant.layers, query);
  const isLinker = LINKER.test(name);
  if (verdict.state === "granted" && !isLinker) return;
  context.record({ ...toAct("env", name, verdict), decision: "denied" });
  if (isLinker) throw new PermissionDenied(`Requires env access to "${name}", which replaces a program's code and is never passed`);
  throw new PermissionDenied(refusalMessage(query, name, verdict, context), {
    ...(verdict.state === "prompt" && {
      hint: { text: `add ${JSON.stringify(name)} to "env" of the grants of the tool's rule in bascule.json` },
    }),
  });
}
