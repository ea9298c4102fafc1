/** Changes one member of `bascule.json` and keeps the rest as it is (SPEC M10, P1). */

import { isJsonObject, type JsonValue, parseJson, PROJECT_BOUNDS } from "../../../manifests/mod.ts";
import { inFileTurn, type TurnPlatform } from "../../project/file-turn.ts";
import { parseEnforced } from "../../project/project-file.ts";
import { withMember } from "../settings/setting-path.ts";

/**
 * @param project the file, and the folder `.bascule` beside it.
 * @param value undefined removes the member.
 * @throws {Error} if the file would not be valid afterwards.
 */
export async function editProject(
  platform: TurnPlatform,
  { file, state }: { readonly file: string; readonly state: string },
  path: readonly string[],
  value: JsonValue | undefined,
): Promise<void> {
  const { files } = platform;
  // Concurrent commands must not lose each other's changes.
  await inFileTurn(platform, `${state}/project.busy`, async (check) => {
    // Writes to the target of a link, and keeps its mode.
    const real = await files.realPath(file);
    const mode = (await files.stat(real))?.mode ?? 0o666;
    const before = await files.readText(real);
    const parsed = parseJson(before, PROJECT_BOUNDS);
    const document = parsed.ok ? parsed.value.value : undefined;
    if (!isJsonObject(document)) throw new Error(`"${file}" does not contain a JSON object (correct it first)`);
    const indent = /^([ \t]+)\S/mu.exec(before)?.[1] ?? "  ";
    const after = `${JSON.stringify(withMember(document, path, value), undefined, indent)}\n`;
    if (!parseEnforced(after).ok) throw new Error(`"${file}" is not valid, or would not be (bascule check shows the problems)`);
    await check();
    await files.writeAtomic(real, after, mode & 0o777);
  });
}
