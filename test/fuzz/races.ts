/**
 * File operations while another thread replaces the file at their path with a link to the outside, as fast as it can.
 *
 * `test/attack/fs/rename-race.test.ts` checks the answers of each operation. Here all of them run for very many rounds, and only an
 * escape is a failure. Linux only: other systems have a narrow window (`host/platform/portable-walk.ts`).
 */

import { lstat, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentPlatform } from "../../host/platform/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";
import { type TestCall, testCall, toBytes } from "../support/bridge-context.ts";
import { type Flipping, startLinking, startToggling } from "../support/flip.ts";

type Act = (answer: TestCall["answer"], round: number) => Promise<HostAnswer>;

/** Operations on `link`, which alternates between a file inside and one outside. */
const ON_LINKS: Readonly<Record<string, Act>> = {
  read: (answer) => answer("fs.readFile", { path: "link" }),
  write: (answer) => answer("fs.writeFile", { path: "link", create: false }, toBytes("written")),
  create: (answer) => answer("fs.writeFile", { path: "link" }, toBytes("written")),
  append: (answer) => answer("fs.writeFile", { path: "link", append: true, create: false }, toBytes("+")),
  truncate: (answer) => answer("fs.truncate", { path: "link", len: 0 }),
  "copy to": (answer) => answer("fs.copyFile", { from: "given", to: "link" }),
  "copy from": async (answer) => {
    const copied = await answer("fs.copyFile", { from: "link", to: "copy" });
    return copied.ok ? await answer("fs.readFile", { path: "copy" }) : copied;
  },
  open: async (answer) => {
    const opened = await answer("file.open", { path: "link", read: true, write: true });
    if (!opened.ok) return opened;
    const id = opened.value;
    const read = await answer("file.read", { id, length: 100 });
    await answer("file.write", { id }, toBytes("opened"));
    await answer("file.close", { id });
    return read;
  },
  stat: (answer) => answer("fs.stat", { path: "link" }),
};

/** Operations on `dir`, which alternates between a folder inside and a link to one outside. */
const ON_FOLDERS: Readonly<Record<string, Act>> = {
  "read below": (answer) => answer("fs.readFile", { path: "dir/secret.txt" }),
  "create below": (answer, round) => answer("fs.writeFile", { path: `dir/new-${round}`, createNew: true }, toBytes("x")),
  "make a folder": (answer, round) => answer("fs.mkdir", { path: `dir/made-${round}/below`, recursive: true }),
  "make a temporary file": (answer) => answer("fs.makeTempFile", { dir: "dir" }),
  "make a temporary folder": (answer) => answer("fs.makeTempDir", { dir: "dir" }),
  remove: (answer) => answer("fs.remove", { path: "dir/secret.txt" }),
  "remove a tree": (answer) => answer("fs.remove", { path: "dir", recursive: true }),
  "rename in": (answer) => answer("fs.rename", { from: "given", to: "dir/given" }),
  "rename out": (answer) => answer("fs.rename", { from: "dir/secret.txt", to: "stolen" }),
  list: (answer) => answer("fs.readDir", { path: "dir" }),
};

export const RACES: readonly string[] = [...Object.keys(ON_LINKS), ...Object.keys(ON_FOLDERS)];

/** Runs one kind of operation for `rounds` rounds. @returns the escapes found; empty if there are none */
export async function checkRace(seed: number, rounds = 2_000): Promise<readonly string[]> {
  const name = RACES[seed % RACES.length] ?? "read";
  const root = await realpath(await mkdtemp(join(tmpdir(), "bascule-race-")));
  try {
    return (await race(name, root, rounds)).map((problem) => `${name}: ${problem}`);
  } finally {
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function race(name: string, root: string, rounds: number): Promise<readonly string[]> {
  const [workspace, outside] = [join(root, "workspace"), join(root, "outside")];
  await mkdir(workspace);
  await mkdir(outside);
  await writeFile(join(workspace, "good.txt"), "good");
  await writeFile(join(outside, "secret.txt"), SECRET);
  const before = await stateOf(outside);
  const { answer } = testCall({
    platform: currentPlatform(),
    cwd: workspace,
    permissions: { read: ["$workspace"], write: ["$workspace"] },
  });
  const act = ON_LINKS[name] ?? ON_FOLDERS[name];
  if (act === undefined) throw new Error(`Unknown race "${name}"`);
  const flipping =
    name in ON_LINKS
      ? await startLinking(join(workspace, "link"), "good.txt", join(outside, "secret.txt"))
      : await startToggling(join(workspace, "dir"), outside);
  const found = new Set<string>();
  try {
    await run(act, answer, { rounds, workspace, flipping, found });
  } finally {
    await flipping.stop();
  }
  const after = await stateOf(outside);
  if (after !== before) found.add(`outside is ${after} instead of ${before}`);
  return [...found];
}

/** Not a name, size or content of anything inside. */
const SECRET = "the secret, of 33 characters long";

interface Course {
  readonly rounds: number;
  readonly workspace: string;
  readonly flipping: Flipping;
  readonly found: Set<string>;
}

async function run(act: Act, answer: TestCall["answer"], { rounds, workspace, flipping, found }: Course): Promise<void> {
  const begun = flipping.swaps();
  for (let round = 0; round < rounds || (flipping.swaps() === begun && round < rounds * 500); round++) {
    await writeFile(join(workspace, "given"), "given");
    const answered = await act(answer, round);
    const said =
      JSON.stringify(answered.ok ? answered.value : answered.error) + (answered.ok ? new TextDecoder().decode(answered.bytes) : "");
    if (said.includes("secret,") || (answered.ok && said.includes("secret.txt")) || said.includes(`"size":${SECRET.length}`))
      found.add(`answers ${said}`);
  }
  // The machine decides whether the other thread had a processor, but a race that did not happen proves nothing.
  if (flipping.swaps() === begun) found.add("nothing was swapped");
}

/** Returns names, contents and modification times. */
async function stateOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).toSorted();
  const parts = names.map(async (one) => {
    const info = await lstat(join(folder, one));
    return `${one} ${info.isFile() ? await readFile(join(folder, one), "utf8") : "no file"} ${info.mtimeMs} ${info.mode}`;
  });
  return (await Promise.all(parts)).join("\n");
}
