/** Creates temporary files and folders: with unguessable names, exclusively, for this user only. */

import type { HostAnswer } from "../../../sandbox/mod.ts";
import { toHex } from "../../platform/bytes.ts";
import type { CheckedPath } from "../../platform/proof.ts";
import { answer, failure } from "../answer.ts";
import type { BridgeContext } from "../bridge.ts";
import { actOn } from "./file-act.ts";

/** The folder, and the beginning and end of the name. */
interface TempOptions {
  /** Default: the call's `$tmp`. */
  readonly dir: string | undefined;
  readonly prefix: string | undefined;
  readonly suffix: string | undefined;
}

/** Needs write access to the folder. Answers the path, absolute unless `dir` is relative (as in Deno). */
export async function makeTemp(kind: "file" | "directory", options: TempOptions, context: BridgeContext): Promise<HostAnswer> {
  const { prefix = "", suffix = "" } = options;
  // A prefix must not lead into another folder.
  const separator = /[/\\]/.exec(`${prefix}${suffix}`)?.[0];
  if (separator !== undefined) return failure("Error", `Invalid character in prefix or suffix: "${separator}"`);

  const dir = options.dir ?? temporaryFolder(context);
  const name = `${prefix}${toHex(context.platform.random.bytes(8))}${suffix}`;
  const written = dir === "" ? name : `${withoutTrailingSlashes(dir)}/${name}`;
  return await actOn({ access: "write", written }, kind === "file" ? "tmpfile" : "tmpdir", context, async (checked) => {
    await make(kind, checked, context);
    return answer(written);
  });
}

/** A loop, because a regular expression takes quadratic time for a million slashes before another character. */
function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

async function make(kind: "file" | "directory", path: CheckedPath<"write">, { platform: { guarded } }: BridgeContext): Promise<void> {
  if (kind === "file") return await guarded.writeBytes(path, new Uint8Array(), { createNew: true, mode: 0o600 });
  await guarded.makeDirectory(path, { recursive: false, mode: 0o700 });
}

/** Returns the `$tmp` of the call's permissions, or else the system's folder. */
export function temporaryFolder({ grant, platform }: Pick<BridgeContext, "grant" | "platform">): string {
  const bases = grant.layers.map((layer) => layer.permissions.bases.tmp);
  return bases.find((tmp) => tmp !== undefined) ?? platform.environment.tmp;
}
