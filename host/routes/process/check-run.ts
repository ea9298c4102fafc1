/**
 * Programs of trusted plugins (SPEC O1). Deno asks by the name that the plugin wrote and looks it up in a `PATH` that the plugin chooses.
 * So a granted name means the file that the host finds under it, and Deno must ask about that file.
 */

import { evaluateAccess, namesPath, normalizePath } from "../../../manifests/mod.ts";
import type { BridgeContext } from "../../capabilities/bridge.ts";
import { proveFound, toAct } from "../../capabilities/checked.ts";
import { findProgram, searchPath } from "../../capabilities/run/find-program.ts";
import { refusalMessage } from "../../capabilities/refusal.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import type { CheckAnswer, CheckContext } from "./check-answer.ts";

/** Maximum number of names whose files are passed to a process. */
const MAX_PROGRAMS = 64;

/** Checks whether the program may be started. @param written as Deno asks: a path, or a name that Deno looks up itself */
export async function checkRun(written: string, context: CheckContext): Promise<CheckAnswer> {
  const { layers } = context.grant;
  const query = { kind: "run", name: written } as const;
  const all = evaluateAccess(layers, { kind: "run" });
  const isAny = all.state === "granted" && all.partial !== true;
  const isFile = namesPath(written);
  // The process may have changed its folder, and links change the meaning of `..`: the checked file must be the started file.
  if (isFile && !isAny && normalizePath(written, "/") !== written) return refuse(written, "write it as an absolute path, without . and ..");
  const name = written.slice(written.lastIndexOf("/") + 1);
  const isGranted = evaluateAccess(layers, query).state === "granted" || (isFile && (await findGranted(name, context)) === written);
  if (!isGranted) {
    const verdict = evaluateAccess(layers, query);
    return { ok: false, act: toAct("run", written, verdict), reason: refusalMessage(query, written, verdict, context) };
  }
  if (isAny) return { ok: true, act: toAct("run", written, all), query };
  if (!isFile) {
    const meant = await findGranted(written, context);
    return refuse(written, meant === undefined ? "not found in the host's PATH" : `a plugin chooses its own PATH, so start "${meant}"`);
  }
  const proof = proveFound(
    { path: written, real: (await orUndefined(context.platform.files.realPath(written))) ?? written, written: name },
    context,
  );
  return proof.ok ? { ok: true, act: proof.act, query } : { ok: false, act: proof.act, reason: proof.message };
}

function refuse(written: string, why: string): CheckAnswer {
  const act = { decision: "denied", permission: "run", value: written, layer: "search path" } as const;
  return { ok: false, act, reason: `Requires run access to "${written}": ${why}` };
}

/** Returns the files of the granted names, which the process must ask about instead of the names. */
export async function grantedPrograms(
  context: Pick<BridgeContext, "grant" | "platform" | "cwd">,
): Promise<Readonly<Record<string, string>>> {
  const names = context.grant.layers.flatMap(({ permissions }) => {
    const allow = permissions.entries.get("run")?.allow ?? [];
    return allow === true ? [] : allow.map(({ written }) => written);
  });
  const programs: [string, string][] = [];
  for (const name of [...new Set(names)].slice(0, MAX_PROGRAMS)) {
    const path = namesPath(name) ? undefined : await findGranted(name, context);
    if (path !== undefined) programs.push([name, path]);
  }
  return Object.fromEntries(programs);
}

/** Returns the file that the host finds for a granted name. The workspace is not searched, because a tool could have put it there. */
async function findGranted(
  name: string,
  { grant, platform, cwd }: Pick<BridgeContext, "grant" | "platform" | "cwd">,
): Promise<string | undefined> {
  if (name === "" || evaluateAccess(grant.layers, { kind: "run", name }).state !== "granted") return undefined;
  return await findProgram(name, await searchPath(platform, cwd), platform);
}
