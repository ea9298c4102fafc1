/**
 * Writes reasonings as canvases to `canvases/` of the workspace, where a user can view and edit them, and reports the edits.
 *
 * Exported steps are kept in `canvases/.exported/` to compare with.
 */

import type {
  ExportReasoningCanvasArgs,
  ExportReasoningCanvasOutput,
  ImportCanvasEditsArgs,
  ImportCanvasEditsOutput,
  ListCanvasesArgs,
  ListCanvasesOutput,
} from "./bascule.d.ts";
import { readCanvas, writeCanvas } from "./json-canvas.ts";
import { readMarkdown, writeMarkdown } from "./markdown.ts";
import { checkSteps, compare, isUnchanged, type Reasoning, type Step } from "./steps.ts";

const FOLDER = "canvases";
const EXPORTED = `${FOLDER}/.exported`;
const MAX_NAME = 60;
const MAX_BYTES: number = 4 * 1024 * 1024;

const FORMATS = {
  canvas: { ending: ".canvas", read: readCanvas, write: writeCanvas },
  markdown: { ending: ".md", read: readMarkdown, write: writeMarkdown },
} as const;
type Format = keyof typeof FORMATS;

/** Writes steps to a canvas that a user can edit. */
export async function export_reasoning_canvas(args: ExportReasoningCanvasArgs): Promise<ExportReasoningCanvasOutput> {
  const name = nameFrom(args.title);
  const reasoning: Reasoning = { title: oneLine(args.title), steps: args.steps.map(toStep) };
  checkSteps(reasoning.steps);
  const format: Format = args.format ?? "canvas";
  const known = await find(name);
  if (known !== undefined && args.overwrite !== true) {
    const edited = !isUnchanged(compare(await readExported(name), (await readFormat(known)).steps));
    if (edited || known.format !== format)
      throw new Error(`"${known.path}" was edited since it was exported (import_canvas_edits shows how; set "overwrite" to replace it)`);
  }
  if (known !== undefined && known.format !== format) await Deno.remove(known.path);
  const path = `${FOLDER}/${name}${FORMATS[format].ending}`;
  const text = FORMATS[format].write(reasoning);
  await Deno.mkdir(EXPORTED, { recursive: true });
  await Deno.writeTextFile(path, text);
  // Stored as it will be read back, so that what a format does not keep does not count as an edit.
  await Deno.writeTextFile(`${EXPORTED}/${name}.json`, `${JSON.stringify(FORMATS[format].read(text).steps)}\n`);
  return { name, path, steps: reasoning.steps.length };
}

/** Returns the user's changes since the export. */
export async function import_canvas_edits(args: ImportCanvasEditsArgs): Promise<ImportCanvasEditsOutput> {
  const name = nameFrom(args.name);
  const known = await find(name);
  if (known === undefined) throw new Error(`Canvas "${args.name}" not found (list_canvases shows the names)`);
  const { title, steps } = await readFormat(known);
  const changes = compare(await readExported(name), steps);
  const copied = (some: readonly Step[]): ImportCanvasEditsOutput["steps"][number][] =>
    some.map((step) => ({ ...step, after: [...step.after] }));
  return {
    ...{ title, path: known.path, edited: !isUnchanged(changes) },
    added: copied(changes.added),
    removed: changes.removed.map(({ id }) => id),
    changed: changes.changed.map((one) => ({ ...one })),
    linksAdded: [...changes.linksAdded],
    linksRemoved: [...changes.linksRemoved],
    steps: copied(steps),
  };
}

/** Lists all canvases by name; unreadable ones have the reason. */
export async function list_canvases(_args: ListCanvasesArgs): Promise<ListCanvasesOutput> {
  const canvases: ListCanvasesOutput["canvases"][number][] = [];
  for (const file of await files()) {
    const { name, path } = file;
    try {
      const { title, steps } = await readFormat(file);
      canvases.push({ name, path, title, steps: steps.length, edited: !isUnchanged(compare(await readExported(name), steps)) });
    } catch (error) {
      if (!(error instanceof Error) || error.name !== "Error") throw error;
      canvases.push({ name, path, title: "", steps: 0, edited: true, problem: error.message });
    }
  }
  return { canvases };
}

interface CanvasFile {
  readonly name: string;
  readonly path: string;
  readonly format: Format;
}

async function files(): Promise<readonly CanvasFile[]> {
  const found: CanvasFile[] = [];
  try {
    for await (const { isFile, name: file } of Deno.readDir(FOLDER))
      for (const format of ["canvas", "markdown"] as const) {
        const { ending } = FORMATS[format];
        if (isFile && file.endsWith(ending)) found.push({ name: file.slice(0, -ending.length), path: `${FOLDER}/${file}`, format });
      }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

async function find(name: string): Promise<CanvasFile | undefined> {
  return (await files()).find((file) => file.name === name);
}

async function readFormat({ path, format }: CanvasFile): Promise<Reasoning> {
  const { size } = await Deno.stat(path);
  if (size > MAX_BYTES) throw new Error(`Cannot read "${path}": it has ${size} bytes, more than ${MAX_BYTES}`);
  const text = await Deno.readTextFile(path);
  try {
    return FORMATS[format].read(text);
  } catch (error) {
    throw new Error(`Cannot read "${path}": ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/** A canvas without an export is compared with nothing: every step is new. */
async function readExported(name: string): Promise<readonly Step[]> {
  try {
    // Only this plugin writes exports; any other content is compared as it is.
    return JSON.parse(await Deno.readTextFile(`${EXPORTED}/${name}.json`)) as readonly Step[];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof SyntaxError) return [];
    throw error;
  }
}

function toStep({ id, kind, text, after = [] }: ExportReasoningCanvasArgs["steps"][number]): Step {
  if (/[[\](),\n]/u.test(id) || id.trim() !== id || id === "title")
    throw new Error(`Invalid step id ${JSON.stringify(id)} (use letters, digits and -)`);
  return { id, ...(kind !== undefined && { kind: oneLine(kind) }), text: text.replace(/\r\n?/gu, "\n").trim(), after: [...new Set(after)] };
}

/** Makes a file name: letters of every script and digits are kept. */
function nameFrom(title: string): string {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const dashed = plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+/u, "");
  const name = [...dashed].slice(0, MAX_NAME).join("").replace(/-+$/u, "");
  if (name === "") throw new Error(`Cannot make a file name of "${title}" (use at least one letter or digit)`);
  return name;
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
