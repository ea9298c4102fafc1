/**
 * Notes as Markdown files in `notes/` of the working directory, which is the workspace.
 *
 * Plain Deno code: the plugin's grants decide what it may access.
 */

import type { NoteAddArgs, NoteAddOutput, NoteAppendArgs, NoteAppendOutput, NoteListArgs, NoteListOutput } from "./bascule.d.ts";

const FOLDER = "notes";
const MAX_NAME = 60;

/** Writes a new note. */
export async function note_add(args: NoteAddArgs): Promise<NoteAddOutput> {
  const name = nameFrom(args.title);
  const path = pathOf(name);
  await Deno.mkdir(FOLDER, { recursive: true });
  try {
    await Deno.writeTextFile(path, `# ${args.title}\n\n${args.text.trimEnd()}\n`, { createNew: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    throw new Error(`Note "${name}" already exists (use note_append to add to it)`);
  }
  return { name, path };
}

/** Adds a paragraph to a note. */
export async function note_append(args: NoteAppendArgs): Promise<NoteAppendOutput> {
  const name = nameFrom(args.name);
  const path = pathOf(name);
  try {
    await Deno.writeTextFile(path, `\n${args.text.trimEnd()}\n`, { append: true, create: false });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new Error(`Note "${name}" not found (note_list shows the names, note_add writes a new one)`);
  }
  return { name, path };
}

/** Lists the notes, sorted by name; a missing folder is an empty list. */
export async function note_list(args: NoteListArgs): Promise<NoteListOutput> {
  const wanted = args.containing?.toLowerCase();
  const notes: NoteListOutput["notes"][number][] = [];
  for (const name of await names()) {
    const text = await Deno.readTextFile(pathOf(name));
    if (wanted !== undefined && !text.toLowerCase().includes(wanted)) continue;
    notes.push({ name, title: titleOf(text) ?? name, characters: [...text].length });
  }
  return { notes };
}

async function names(): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const entry of Deno.readDir(FOLDER)) {
      if (entry.isFile && entry.name.endsWith(".md")) found.push(entry.name.slice(0, -".md".length));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.sort();
}

/** Makes a file name from a title: `Über uns!` is `uber-uns`. Letters of every script are kept. */
function nameFrom(title: string): string {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const dashed = plain.replace(/[^\p{L}\p{N}]+/gu, "-");
  const name = [...dashed]
    .slice(0, MAX_NAME)
    .join("")
    .replace(/^-+|-+$/gu, "");
  if (name === "") throw new Error(`Cannot make a file name of "${title}" (use at least one letter or digit)`);
  return name;
}

function pathOf(name: string): string {
  return `${FOLDER}/${name}.md`;
}

function titleOf(text: string): string | undefined {
  return /^# (.+)$/mu.exec(text)?.[1]?.trim();
}
