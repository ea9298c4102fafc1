/**
 * A plugin that indexes 5,000 small files, beside the same program under `deno run`, in turn (SPEC AX3): `node bench/data-index.ts`.
 *
 * Not a row of `npm run bench`, because it needs Deno besides Node.
 */

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createHost } from "../host/mod.ts";
import { findDeno } from "../host/platform/isolation/runtimes.ts";
import type { Measured } from "./measure.ts";

const FILES = 5_000;
const FOLDERS = 50;
const WORDS_A_FILE = 200;
const ROUNDS = 5;
const QUERY = "w7 w42";

const QUERY_SQL = "SELECT path, snippet(docs, 1, '[', ']', '…', 8) AS hit FROM docs WHERE docs MATCH ? ORDER BY rank LIMIT 20";
const tool = (name: string, sideEffects: readonly string[]): object => ({
  ...{ name, description: "Works", inputSchema: { type: "object" }, sideEffects },
});
const MANIFEST = {
  ...{ schemaVersion: "1.0", name: "library", version: "1.0.0", description: "Indexes notes" },
  permissions: { read: ["$data", "$workspace/notes"], write: ["$data"] },
  tools: [tool("build", ["read", "write"]), tool("find", ["read"])],
};

const PLUGIN = `
export async function build(args, { data, workspace }) {
  const begun = performance.now();
  await data.sql.exec("DROP TABLE IF EXISTS docs; CREATE VIRTUAL TABLE docs USING fts5(path, text)");
  const paths = await workspace.walk("notes", { extensions: [".md"] });
  for (let at = 0; at < paths.length; at += 500) {
    const files = await workspace.readMany(paths.slice(at, at + 500));
    await data.sql.transaction([{ sql: "INSERT INTO docs VALUES (?, ?)", rows: files.map(({ path, text }) => [path, text]) }]);
  }
  return [paths.length, performance.now() - begun];
}
export async function find(args, { data }) {
  const begun = performance.now();
  const rows = await data.sql.query(${JSON.stringify(QUERY_SQL)}, [${JSON.stringify(QUERY)}]);
  return [rows.length, performance.now() - begun];
}`;

const PROGRAM = `
import { DatabaseSync } from "node:sqlite";
const begun = performance.now();
const database = new DatabaseSync("deno.db");
database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; DROP TABLE IF EXISTS docs; CREATE VIRTUAL TABLE docs USING fts5(path, text)");
async function* walk(folder) {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* walk(folder + "/" + name);
    else if (name.endsWith(".md")) yield folder + "/" + name;
  }
}
const insert = database.prepare("INSERT INTO docs VALUES (?, ?)");
const paths = await Array.fromAsync(walk("notes"));
for (let at = 0; at < paths.length; at += 500) {
  database.exec("BEGIN");
  for (const path of paths.slice(at, at + 500)) insert.run(path, await Deno.readTextFile(path));
  database.exec("COMMIT");
}
const rows = database.prepare(${JSON.stringify(QUERY_SQL)}).all(${JSON.stringify(QUERY)});
console.log(JSON.stringify([paths.length, performance.now() - begun, rows.length]));`;

async function run(): Promise<Measured> {
  const deno = findDeno();
  if (deno === undefined) throw new Error("Deno is not installed");
  const root = await mkdtemp(join(tmpdir(), "bascule-bench-"));
  try {
    return await measure(root, deno);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function measure(root: string, deno: string): Promise<Measured> {
  await writeFiles(root);
  await using host = await createHost({
    ...{ plugins: join(root, "plugins"), workspace: root, config: { confirmation: { default: { read: "auto", write: "auto" } } } },
    grants: { library: MANIFEST.permissions },
  });
  const call = async (name: string): Promise<readonly number[]> => {
    const result = await host.call(`library.${name}`, {}, { timeoutMs: 30_000 });
    if (!result.ok) throw new Error(result.error?.message);
    return result.output as unknown as readonly number[];
  };
  const [ours, theirs, searches]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const [count = 0, ms = 0] = await call("build");
    const { stdout } = await promisify(execFile)(deno, ["run", "-A", "--no-config", join(root, "program.js")], { cwd: root });
    const [theirCount, theirMs = 0, theirRows] = JSON.parse(stdout) as readonly number[];
    if (count !== FILES || theirCount !== FILES) throw new Error(`Indexed ${count} and ${theirCount} files instead of ${FILES}`);
    ours.push(ms);
    theirs.push(theirMs);
    for (let search = 0; search < 20; search++) {
      const [rows, took = 0] = await call("find");
      if (rows !== theirRows) throw new Error(`Found ${rows} files, and ${theirRows} under deno run`);
      searches.push(took);
    }
  }
  const ratios = ours.map((ms, round) => ms / (theirs[round] ?? ms));
  const note = `${FILES} files; a search takes ${median(searches).toFixed(1)} ms (p50)`;
  return { value: median(ours), unit: "ms", baseline: median(theirs), ratio: median(ratios), note };
}

async function writeFiles(root: string): Promise<void> {
  const put = async (name: string, text: string): Promise<void> => {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), text);
  };
  await put("plugins/library/manifest.json", JSON.stringify(MANIFEST));
  await put("plugins/library/main.ts", PLUGIN);
  await put("program.js", PROGRAM);
  // The same words at each run; frequent ones are more frequent, as in a language.
  let seed = 1;
  const next = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let file = 0; file < FILES; file++)
    await put(
      `notes/${file % FOLDERS}/${file}.md`,
      Array.from({ length: WORDS_A_FILE }, () => `w${Math.floor(next() ** 2 * 4_000)}`).join(" "),
    );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

console.log(JSON.stringify(await run()));
process.exit(0);
