/**
 * File operations in random trees with links, in memory and on disk: reads match a simple resolver, and nothing outside the grant
 * changes.
 */

import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import type { MemoryEntry } from "../../../host/platform/memory/memory.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import type { Platform } from "../../../host/platform/platform.ts";
import type { Permissions } from "../../../manifests/mod.ts";
import type { HostAnswer } from "../../../sandbox/mod.ts";
import { testCall, toBytes } from "../../support/bridge-context.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { model, type Model } from "./model.ts";

/** Each file contains its own path, so that a read reveals its source. Paths are relative to the case's root. */
const FILES = ["work/a", "work/d/b", "work/d/e/c", "work/s/secret", "out/secret", "out/d/x", "working"];
const name = fc.constantFrom("a", "b", "c", "d", "e", "l", "m", "secret", "s", "..", ".", "work", "out", "new");
const relative = fc.array(name, { minLength: 1, maxLength: 5 }).map((parts) => parts.join("/"));
const link = fc.tuple(
  fc.constantFrom("work/l", "work/m", "work/d/l", "work/d/m", "work/s/l", "out/l"),
  fc.oneof(
    relative,
    fc.constantFrom("$root/out", "$root/work/s", "$root/out/secret", "$root/work", "..", "../out/secret", ".", "l", "m", "d", "a"),
  ),
);
const tree = fc.array(link, { minLength: 1, maxLength: 4 });
/** Paths that mostly go through a link. */
const path = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "l",
      "m",
      "d/l",
      "d/m",
      "l/secret",
      "m/secret",
      "d/l/secret",
      "l/s/secret",
      "l/d/b",
      "m/d/x",
      "l/l",
      "l/../a",
      "d/m/../l",
    ),
  },
  { weight: 1, arbitrary: relative },
  { weight: 1, arbitrary: relative.map((text) => `$root/${text}`) },
);
const act = fc.constantFrom(
  "readFile",
  "writeFile",
  "create",
  "append",
  "remove",
  "removeAll",
  "mkdir",
  "truncate",
  "readDir",
  "copy",
  "rename",
  "makeTemp",
  "stat",
  "utime",
);
const PERMISSIONS: Permissions = {
  read: { allow: ["$workspace"], deny: ["$workspace/s"] },
  write: { allow: ["$workspace"], deny: ["$workspace/s"] },
};

type World = readonly (readonly [path: string, target: string])[];

interface Case {
  readonly links: World;
  readonly acts: readonly (readonly [act: string, path: string, other: string])[];
}

const cases: fc.Arbitrary<Case> = fc.record({ links: tree, acts: fc.array(fc.tuple(act, path, path), { minLength: 1, maxLength: 6 }) });
const reads: fc.Arbitrary<readonly [World, string]> = fc.tuple(tree, path);

export const pathModels: readonly Model[] = [
  model("paths: in memory, a file is read exactly if a simple resolver finds it inside the grant [C4.resolve]", reads, ([links, asked]) =>
    readsAsResolved(links, asked, inMemory),
  ),
  model("paths: on disk, a file is read exactly if a simple resolver finds it inside the grant [C4.resolve]", reads, ([links, asked]) =>
    onDisk(links, (root, platform) => readsAsResolved(links, asked, () => ({ root, platform }))),
  ),
  model("paths: on disk, no operation changes anything outside the grant [C4.outside]", cases, ({ links, acts }) =>
    onDisk(links, async (root, platform) => {
      const before = await outsideOf(root);
      for (const [kind, at, other] of acts) {
        const answered = await perform(kind, at.replace("$root", root), other.replace("$root", root), { root, platform });
        const text = answered.ok ? new TextDecoder().decode(answered.bytes) : "";
        if (text.includes("out/") || text.includes("work/s/")) throw new Error(`${kind} ${at} gives ${text}`);
      }
      const after = await outsideOf(root);
      if (after !== before) throw new Error(`Outside is ${after} instead of ${before}`);
    }),
  ),
];

interface Place {
  readonly root: string;
  readonly platform: Platform;
}

function inMemory(links: World): Place {
  const entries: Record<string, MemoryEntry> = {};
  for (const file of FILES) entries[`/r/${file}`] = file;
  const platform = memoryPlatform(entries);
  for (const [at, target] of links) platform.plant(`/r/${at}`, { link: target.replace("$root", "/r") });
  return { root: "/r", platform };
}

async function onDisk(links: World, run: (root: string, platform: Platform) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "bascule-paths-")));
  try {
    for (const file of FILES) {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), file);
    }
    const planted = new Set<string>();
    for (const [at, target] of links) {
      if (!planted.has(at)) await symlink(target.replace("$root", root), join(root, at));
      planted.add(at);
    }
    await run(root, currentPlatform());
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function readsAsResolved(links: World, asked: string, make: (links: World) => Place): Promise<void> {
  const unique = [...new Map([...links].toReversed())];
  const place = make(unique);
  const written = asked.replace("$root", place.root);
  const answered = await perform("readFile", written, "", place);
  const expected = resolve(written, new Map(unique), place.root);
  const got = answered.ok ? new TextDecoder().decode(answered.bytes) : undefined;
  if (got !== expected)
    throw new Error(`${written} gives ${got ?? (answered.ok ? "" : answered.error.name)} instead of ${expected ?? "an error"}`);
}

/** Returns the contents of the file at a path. Undefined if it does not exist, or if the path as written or as resolved is not granted. */
function resolve(written: string, links: ReadonlyMap<string, string>, root: string): string | undefined {
  const absolute = fold(written.startsWith("/") ? written : `${root}/work/${written}`);
  const isGranted = (place: string): boolean =>
    (place === "/work" || place.startsWith("/work/")) && place !== "/work/s" && !place.startsWith("/work/s/");
  const below = absolute.startsWith(`${root}/`) || absolute === root ? absolute.slice(root.length) : undefined;
  if (below === undefined || !isGranted(below)) return undefined;
  let left = below.split("/").filter((part) => part !== "");
  let at: string[] = [];
  for (let steps = 0; left.length > 0; steps++) {
    if (steps > 200) return undefined;
    const [first = "", ...rest] = left;
    if (first === "..") {
      // Nothing above the case's root is granted either.
      if (at.length === 0) return undefined;
      at.pop();
      left = rest;
      continue;
    }
    const target = first === "." ? undefined : links.get([...at, first].join("/"));
    if (target === undefined) {
      if (first !== ".") at.push(first);
      left = rest;
      // Only folders have entries.
      if (left.length > 0 && FILES.includes(at.join("/"))) return undefined;
      if (left.length > 0 && !FILES.some((file) => file.startsWith(`${at.join("/")}/`))) return undefined;
      continue;
    }
    const parts = target
      .replace(root, "$root")
      .split("/")
      .filter((part) => part !== "");
    if (parts[0] === "$root") at = [];
    left = [...(parts[0] === "$root" ? parts.slice(1) : parts), ...rest];
  }
  const file = at.join("/");
  return isGranted(`/${file}`) && FILES.includes(file) ? file : undefined;
}

function fold(text: string): string {
  const kept: string[] = [];
  for (const part of text.split("/")) {
    if (part === "..") kept.pop();
    else if (part !== "" && part !== ".") kept.push(part);
  }
  return `/${kept.join("/")}`;
}

async function perform(kind: string, at: string, other: string, { root, platform }: Place): Promise<HostAnswer> {
  const { answer } = testCall({ platform, cwd: `${root}/work`, permissions: PERMISSIONS });
  const bytes = toBytes("written");
  switch (kind) {
    case "writeFile":
      return await answer("fs.writeFile", { path: at, create: false }, bytes);
    case "create":
      return await answer("fs.writeFile", { path: at }, bytes);
    case "append":
      return await answer("fs.writeFile", { path: at, append: true }, bytes);
    case "remove":
      return await answer("fs.remove", { path: at });
    case "removeAll":
      return await answer("fs.remove", { path: at, recursive: true });
    case "mkdir":
      return await answer("fs.mkdir", { path: at, recursive: true });
    case "truncate":
      return await answer("fs.truncate", { path: at, len: 1 });
    case "copy":
      return await answer("fs.copyFile", { from: at, to: other });
    case "rename":
      return await answer("fs.rename", { from: at, to: other });
    case "makeTemp":
      return await answer("fs.makeTempFile", { dir: at });
    default:
      return await answer(`fs.${kind}`, { path: at });
  }
}

/** Returns everything that is not granted as text: names, contents, links. The folder "work" itself must not be removed either. */
async function outsideOf(root: string): Promise<string> {
  const seen: string[] = [];
  async function walk(below: string): Promise<void> {
    for (const entry of (await readdir(join(root, below))).toSorted()) {
      const at = below === "" ? entry : `${below}/${entry}`;
      const info = await lstat(join(root, at));
      const isGranted = at.startsWith("work/") && !`${at}/`.startsWith("work/s/");
      if (info.isDirectory()) {
        if (!isGranted) seen.push(`${at}/`);
        await walk(at);
      } else if (!isGranted)
        seen.push(`${at}: ${info.isSymbolicLink() ? `-> ${await readlink(join(root, at))}` : await readFile(join(root, at), "utf8")}`);
    }
  }
  await walk("");
  return seen.join("\n");
}
