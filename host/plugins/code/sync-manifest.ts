/** Compares a manifest's tools with the code that declares them (SPEC AX1). */

import { checkModulePath, isJsonObject, MANIFEST_BOUNDS, parseJson, parseManifest, type Problem } from "../../../manifests/mod.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { decodeManifest } from "../folder/compile.ts";
import { createOwnFileReader } from "../folder/own-file.ts";
import { folderError } from "../folder/problems.ts";
import { FOLDER_BOUNDS, MANIFEST_FILE, unreadable, walkFolder } from "../folder/walk.ts";
import { RUNTIME_FILE, RUNTIME_TEXT } from "../types/tool-api.ts";
import { editManifest, type ManifestEdit, TOOLS_FROM } from "./edit-manifest.ts";
import { readRecords } from "./read-records.ts";
import type { CodeReader } from "./code-reader.ts";
import type { CodeTool } from "./code-tool.ts";
import type { CodePlace } from "./syntax.ts";

/** A problem in the manifest, or in the code file that `file` names. */
export type SyncProblem = Problem & { readonly file?: string };

export type SyncOutcome =
  | { readonly kind: "problems"; readonly problems: readonly SyncProblem[] }
  /** `after` equals `before` if nothing changed. */
  | {
      readonly kind: "read";
      readonly before: string;
      readonly after: string;
      readonly changes: readonly string[];
      /** True if the code imports `./bascule.js`. */
      readonly usesDefineTool: boolean;
    };

/** Parts of the platform that are needed. */
type SyncAccess = Pick<Platform, "files" | "guarded">;

/** Larger code is not read: parsing takes a second for 4 MiB. */
const MAX_CODE_BYTES = 4 * 1024 * 1024;

/** Returns whether a manifest's text says that its tools are written from code, also if it is invalid otherwise. */
export function isFromCode(text: string): boolean {
  const parsed = parseJson(text, MANIFEST_BOUNDS);
  return parsed.ok && isJsonObject(parsed.value.value) && parsed.value.value[TOOLS_FROM] === "code";
}

/** Reads a manifest's text. @param directory real path of the folder @throws {FileError} if it cannot be read */
export async function manifestText({ guarded }: Pick<Platform, "guarded">, directory: string): Promise<string | undefined> {
  return decodeManifest(await createOwnFileReader(guarded, directory)(`${directory}/${MANIFEST_FILE}`, MANIFEST_BOUNDS.maxBytes));
}

/** Reads the code and returns the manifest as it should be. Writes nothing. */
export async function syncManifest(platform: SyncAccess, directory: string, reader: CodeReader, signal: AbortSignal): Promise<SyncOutcome> {
  try {
    const before = await manifestText(platform, directory);
    if (before === undefined) return refused(folderError(`"${MANIFEST_FILE}" is not UTF-8 text`, "save it as UTF-8"));
    const parsed = parseJson(before, MANIFEST_BOUNDS);
    if (!parsed.ok) return { kind: "problems", problems: parsed.problems };
    const manifest = parsed.value.value;
    if (!isJsonObject(manifest)) return refused(folderError("Manifest is not an object", "write { … }"));
    const written = manifest["main"];
    const main = typeof written === "string" && checkModulePath(written) === undefined ? written.replace(/^\.\//u, "") : "main.ts";
    const files = await readAll(platform, directory);
    if (!files.has(main))
      return refused(folderError(`Module "${main}" is not in the plugin's folder`, 'create it, or name another in "main"'));
    const code = await readCode(reader, { files, main, signal });
    if (code.problems.length > 0) return { kind: "problems", problems: code.problems };
    if (code.tools.length === 0)
      return refused(folderError(`"${main}" exports no tools`, "export a function with a doc comment, or defineTool({ … })"));
    const edit = editManifest(before, manifest, code.tools, main);
    const checked = parseManifest(edit.text);
    if (!checked.ok) return { kind: "problems", problems: checked.problems.map((problem) => inCode(problem, edit, parsed.value.locate)) };
    return { kind: "read", before, after: edit.text, changes: edit.changes, usesDefineTool: code.usesDefineTool };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return refused(unreadable(directory, error));
  }
}

interface CodeRequest {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly main: string;
  readonly signal: AbortSignal;
}

interface Code {
  readonly tools: readonly CodeTool[];
  readonly problems: readonly SyncProblem[];
  readonly usesDefineTool: boolean;
}

async function readCode(reader: CodeReader, { files, main, signal }: CodeRequest): Promise<Code> {
  const sources = [...files].filter(([path]) => /\.m?[jt]s$/u.test(path) && !path.startsWith("vendor/"));
  const bytes = sources.reduce((sum, [, file]) => sum + file.byteLength, 0);
  if (bytes > MAX_CODE_BYTES) return failed(`The code has ${bytes} bytes, more than ${MAX_CODE_BYTES}`, "move data out of the code");
  const texts = new Map(sources.map(([path, file]) => [path, new TextDecoder().decode(file)]));
  const reading = await reader.read(texts, main);
  if (reading === undefined) return failed("The code cannot be read in ten seconds", "make the types simpler");
  const problems = reading.problems.map(toProblem);
  if (problems.length > 0 || reading.candidates.length === 0) return { ...reading, problems };
  // The file is written together with the manifest, so it may not be there yet.
  const all = reading.usesDefineTool ? new Map([[RUNTIME_FILE, new TextEncoder().encode(RUNTIME_TEXT)], ...files]) : files;
  const records = await readRecords({ sandbox: reader.sandbox(), files: all, main, candidates: reading.candidates, signal });
  const tools = [...reading.tools, ...records.tools].toSorted((a, b) => reading.order.indexOf(a.export) - reading.order.indexOf(b.export));
  return { ...reading, tools, problems: records.problems.map(toProblem) };
}

async function readAll(platform: Pick<Platform, "files" | "guarded">, directory: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const walk = await walkFolder(platform.files, directory);
  const files = new Map<string, Uint8Array>();
  if (walk.kind !== "found") return files;
  const read = createOwnFileReader(platform.guarded, directory);
  for (const { path, realPath } of walk.files) files.set(path, await read(realPath, FOLDER_BOUNDS.totalBytes));
  return files;
}

/** Places a problem of the edited manifest: in the code if it is in a tool from there, else in the manifest as it is. */
function inCode(
  problem: Problem,
  { sources }: ManifestEdit,
  locate: (pointer: string) => { line: number; column: number } | undefined,
): SyncProblem {
  const { line: _line, column: _column, ...rest } = problem;
  const [, index, inside = ""] = /^\/tools\/(\d+)(\/.*)?$/su.exec(problem.pointer) ?? [];
  const tool = index === undefined ? undefined : sources[Number(index)];
  if (tool === undefined) return { ...rest, ...locate(problem.pointer) };
  return { ...rest, pointer: "", ...nearestPlace(tool.places, inside) };
}

/** Returns the place of a pointer, or of the nearest thing around it. */
function nearestPlace(places: ReadonlyMap<string, CodePlace>, pointer: string): CodePlace | undefined {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
    const place = places.get(at);
    if (place !== undefined || at === "") return place;
  }
}

function toProblem({ message, fix, file, line, column }: { message: string; fix: string } & CodePlace): SyncProblem {
  return { severity: "error", pointer: "", message, fix, file, line, column };
}

function failed(message: string, fix: string): Code {
  return { tools: [], problems: [folderError(message, fix)], usesDefineTool: false };
}

function refused(problem: Problem): SyncOutcome {
  return { kind: "problems", problems: [problem] };
}
