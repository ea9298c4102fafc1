/**
 * Facts to remember, stored as lists in Markdown files of `memory/`, one file for each topic. Users may edit them: the plugin
 * reads and changes only lines that begin with "- ".
 *
 * Plain Deno code: the plugin's grants decide what it may access.
 */

import type {
  Context,
  MemoryAddArgs,
  MemoryAddOutput,
  MemoryConsolidateArgs,
  MemoryConsolidateOutput,
  MemoryReplaceArgs,
  MemoryReplaceOutput,
} from "./bascule.d.ts";

const FOLDER = "memory";
const MAX_NAME = 60;
const DEFAULT_ENTRIES = 500;

/** Adds one fact. */
export async function memory_add(args: MemoryAddArgs, context?: Pick<Context, "settings">): Promise<MemoryAddOutput> {
  const topic = topicFrom(args.topic ?? "general");
  const path = pathOf(topic);
  const text = oneLine(args.text);
  if (text === "") throw new Error("The fact must not be blank");
  const page = await readPage(topic);
  const known = factsOf(page);
  if (known.some((fact) => keyOf(fact) === keyOf(text))) return { topic, path, added: false, entries: known.length };
  const most = context?.settings.maxEntries ?? DEFAULT_ENTRIES;
  if (known.length >= most) throw new Error(`Topic "${topic}" holds ${most} facts already (memory_consolidate makes room)`);
  await writePage(topic, insertFact(page ?? `# ${topic}\n\n`, text));
  return { topic, path, added: true, entries: known.length + 1 };
}

/** Replaces or deletes a fact. */
export async function memory_replace(args: MemoryReplaceArgs): Promise<MemoryReplaceOutput> {
  const topic = topicFrom(args.topic ?? "general");
  const page = (await readPage(topic)) ?? "";
  const facts = factsOf(page);
  const wanted = args.old.toLowerCase();
  const found = facts.filter((fact) => fact.toLowerCase().includes(wanted));
  const [before] = found;
  if (before === undefined) throw new Error(`No fact of "${topic}" holds "${args.old}" (read memory/${topic}.md)`);
  if (found.length > 1) throw new Error(`${found.length} facts of "${topic}" hold "${args.old}" (take more of the one that is meant)`);
  const text = oneLine(args.text ?? "");
  const after = text === "" ? null : text;
  await writePage(
    topic,
    mapFacts(page, (fact) => (fact === before ? after : fact)),
  );
  return { topic, path: pathOf(topic), before, after, entries: facts.length - (after === null ? 1 : 0) };
}

/** Removes duplicates, facts contained in others, and the oldest. */
export async function memory_consolidate(args: MemoryConsolidateArgs): Promise<MemoryConsolidateOutput> {
  const names = args.topic === undefined ? await topics() : [topicFrom(args.topic)];
  const done: MemoryConsolidateOutput["topics"][number][] = [];
  for (const topic of names) {
    const page = await readPage(topic);
    if (page === undefined) throw new Error(`No facts are stored about "${topic}"`);
    const facts = factsOf(page);
    const kept = keptOf(facts, args.keep ?? facts.length);
    let place = -1;
    const removed = facts.filter((_fact, index) => !kept.has(index));
    if (removed.length > 0)
      await writePage(
        topic,
        mapFacts(page, (fact) => (kept.has(++place) ? fact : null)),
      );
    done.push({ topic, before: facts.length, after: kept.size, removed });
  }
  return { topics: done };
}

/** Returns the indexes of the facts to keep: of equal facts the first, of one that contains another the longer, of all the newest. */
function keptOf(facts: readonly string[], most: number): ReadonlySet<number> {
  const keys = facts.map(keyOf);
  const places = facts
    .map((_fact, index) => index)
    .filter((index) => {
      const key = keys[index] ?? "";
      if (keys.indexOf(key) !== index) return false;
      return !keys.some((other) => other !== key && ` ${other} `.includes(` ${key} `));
    });
  return new Set(places.slice(-most));
}

/** Normalizes a fact: equal for facts that differ in case, spaces and punctuation only. */
function keyOf(fact: string): string {
  return fact
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function factsOf(page: string | undefined): string[] {
  return (page ?? "").split("\n").flatMap((line) => factIn(line) ?? []);
}

function factIn(line: string): string | undefined {
  return /^- (.*\S)/u.exec(line)?.[1];
}

/** Returns the page with each fact replaced; null deletes its line. */
function mapFacts(page: string, change: (fact: string) => string | null): string {
  const lines = page.split("\n").flatMap((line) => {
    const fact = factIn(line);
    if (fact === undefined) return [line];
    const after = change(fact);
    if (after === null) return [];
    return [after === fact ? line : `- ${after}`];
  });
  return lines.join("\n");
}

/** Inserts after the last fact, or at the end. */
function insertFact(page: string, fact: string): string {
  const lines = page.split("\n");
  const last = lines.findLastIndex((line) => factIn(line) !== undefined);
  if (last === -1) return `${page.endsWith("\n") || page === "" ? page : `${page}\n`}- ${fact}\n`;
  lines.splice(last + 1, 0, `- ${fact}`);
  const text = lines.join("\n");
  return text.endsWith("\n") ? text : `${text}\n`;
}

async function readPage(topic: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(pathOf(topic));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function writePage(topic: string, text: string): Promise<void> {
  await Deno.mkdir(FOLDER, { recursive: true });
  await Deno.writeTextFile(pathOf(topic), text);
}

async function topics(): Promise<string[]> {
  const found: string[] = [];
  try {
    for await (const { isFile, name } of Deno.readDir(FOLDER)) if (isFile && name.endsWith(".md")) found.push(name.slice(0, -".md".length));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return found.sort();
}

/** Makes a file name: letters of every script and digits are kept. */
function topicFrom(written: string): string {
  const plain = written.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const dashed = plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+/u, "");
  const topic = [...dashed].slice(0, MAX_NAME).join("").replace(/-+$/u, "");
  if (topic === "") throw new Error(`Cannot make a file name of "${written}" (use at least one letter or digit)`);
  return topic;
}

function pathOf(topic: string): string {
  return `${FOLDER}/${topic}.md`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
