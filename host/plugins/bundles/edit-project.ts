/** Changes one member of `bascule.json` for a person, and leaves the rest of it as it is (SPEC M10, P1). */

import { isJsonObject, type JsonValue, parseJson, PROJECT_BOUNDS } from "../../../manifests/mod.ts";
import { inFileTurn, type TurnPlatform } from "../../project/file-turn.ts";
import { parseEnforced } from "../../project/project-file.ts";
import { withMember } from "../settings/setting-path.ts";

/**
 * @param project the file, and `.bascule` beside it.
 * @param value undefined takes it out.
 * @throws {Error} if the file could not be used afterwards.
 */
export async function editProject(
  platform: TurnPlatform,
  { file, state }: { readonly file: string; readonly state: string },
  path: readonly string[],
  value: JsonValue | undefined,
): Promise<void> {
  const { files } = platform;
  // Two commands at once each add their own.
  await inFileTurn(platform, `${state}/project.busy`, async (check) => {
    // What a link leads to, and with the rights that it has.
    const real = await files.realPath(file);
    const mode = (await files.stat(real))?.mode ?? 0o666;
    const before = await files.readText(real);
    const parsed = parseJson(before, PROJECT_BOUNDS);
    const document = parsed.ok ? parsed.value.value : undefined;
    if (!isJsonObject(document)) throw new Error(`"${file}" holds no JSON object (correct it first)`);
    const indent = /^([ \t]+)\S/mu.exec(before)?.[1] ?? "  ";
    const after = `${JSON.stringify(withMember(document, path, value), undefined, indent)}\n`;
    if (!parseEnforced(after).ok) throw new Error(`"${file}" is wrong, or would be (bascule check shows what is)`);
    await check();
    await files.writeAtomic(real, after, mode & 0o777);
  });
}
