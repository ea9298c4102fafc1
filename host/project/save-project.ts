/**
 * Writes the user's edit of `bascule.json` (SPEC P1, I5). The text is written as it is, so its format and order stay the user's.
 *
 * Only rules may change here: who may connect, which plugins run natively and where they lie are changed in an editor, on the machine.
 */

import { isJsonObject, type JsonObject, parseJson, type Problem, PROJECT_BOUNDS } from "../../manifests/mod.ts";
import { sha256Hex } from "../primitives/digest.ts";
import { equalJson } from "../primitives/json/equal-json.ts";
import { inFileTurn, type TurnPlatform } from "./file-turn.ts";
import { parseEnforced } from "./project-file.ts";

/** The file as it is on disk. */
interface ProjectText {
  readonly path: string;
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
}

type ProjectSaved =
  | { readonly kind: "saved"; readonly digest: string }
  /** The file differs from the one that was edited. */
  | { readonly kind: "changed"; readonly now: ProjectText }
  | { readonly kind: "refused"; readonly problems: readonly Problem[] };

/** Members of `bascule.json` that can be saved. */
const EDITABLE_MEMBERS: readonly string[] = ["policy", "confirmation", "roles"];

/** @throws {FileError} if the file cannot be read */
export async function readProjectText({ files }: Pick<TurnPlatform, "files">, path: string): Promise<ProjectText> {
  const text = await files.readText(await files.realPath(path));
  return { path, text, digest: await sha256Hex(text) };
}

/**
 * Writes the text if the file still has the digest.
 *
 * @param project the file, and the folder `.bascule` beside it
 * @throws {FileError} if the file cannot be read or written
 */
export async function saveProject(
  platform: TurnPlatform,
  { file, state }: { readonly file: string; readonly state: string },
  edit: { readonly text: string; readonly digest: string },
): Promise<ProjectSaved> {
  const { files } = platform;
  const parsed = parseEnforced(edit.text);
  if (!parsed.ok) return { kind: "refused", problems: parsed.problems };
  return await inFileTurn(platform, `${state}/project.busy`, async (check): Promise<ProjectSaved> => {
    const now = await readProjectText(platform, file);
    if (now.digest !== edit.digest) return { kind: "changed", now };
    const problems = changesElsewhere(now.text, edit.text);
    if (problems.length > 0) return { kind: "refused", problems };
    // Writes to the target of a link, and keeps its mode.
    const real = await files.realPath(file);
    const mode = (await files.stat(real))?.mode ?? 0o666;
    await check();
    await files.writeAtomic(real, edit.text, mode & 0o777);
    return { kind: "saved", digest: await sha256Hex(edit.text) };
  });
}

/** Returns a problem for each member that differs and cannot be saved here. */
function changesElsewhere(before: string, after: string): readonly Problem[] {
  const [old, next] = [objectIn(before), objectIn(after)];
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  return [...names].flatMap((name): readonly Problem[] => {
    if (EDITABLE_MEMBERS.includes(name) || equalJson(old[name] ?? null, next[name] ?? null)) return [];
    const message = `"${name}" cannot be changed here, only ${EDITABLE_MEMBERS.join(", ")}`;
    return [{ severity: "error", pointer: `/${name}`, message, fix: "edit bascule.json on the machine that the host runs on" }];
  });
}

/** A file that is broken has no members: only an edit without other members replaces it. */
function objectIn(text: string): JsonObject {
  const parsed = parseJson(text, PROJECT_BOUNDS);
  return parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
}
