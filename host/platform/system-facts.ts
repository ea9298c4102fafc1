/** System facts for `bascule doctor`, found out by looking or trying, never assumed. */

import { execFile } from "node:child_process";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "./files/cache-folder.ts";
import { findDeno } from "./isolation/runtimes.ts";
import { hasLinuxWalk } from "./files/linux-walk.ts";
import type { SystemFacts } from "./platform.ts";
import { makeScratchFolder } from "./files/scratch-folder.ts";
import { createWatcher } from "./files/watcher.ts";

const DENO_MS = 10_000;
/** Maximum delay of a working watcher: the reconcile scan comes before a later event. */
const WATCHER_MS = 3_000;

export async function inspectSystem(): Promise<SystemFacts> {
  const [deno, cache, watcher] = await Promise.all([inspectDeno(), inspectCache(), tryWatcher()]);
  const { node, deno: ownDeno } = process.versions;
  return {
    runtime: { name: ownDeno === undefined ? "node" : "deno", version: ownDeno ?? node, program: process.execPath },
    ...(deno !== undefined && { deno }),
    cache,
    watcher,
    files: hasLinuxWalk() ? "kernel" : "compared",
  };
}

async function inspectDeno(): Promise<SystemFacts["deno"]> {
  const program = process.versions["deno"] === undefined ? findDeno() : process.execPath;
  if (program === undefined) return undefined;
  const version = await new Promise<string | undefined>((resolve) => {
    execFile(program, ["--version"], { timeout: DENO_MS }, (error, stdout) => {
      resolve(error === null ? /\d+\.\d+\.\d+/.exec(stdout)?.[0] : undefined);
    });
  });
  return { program, ...(version !== undefined && { version }) };
}

async function inspectCache(): Promise<SystemFacts["cache"]> {
  const folder = cacheFolder();
  const images = cacheFolder("images");
  const names = await readdir(images).catch(() => []);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(images, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return { folder, images: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Watches a folder and changes it. @returns whether the watcher works, and the problem if not */
async function tryWatcher(): Promise<SystemFacts["watcher"]> {
  const folder = await makeScratchFolder("watch");
  const told = Promise.withResolvers<string | undefined>();
  const timer = setTimeout(() => told.resolve(`It did not report a change within ${WATCHER_MS} ms`), WATCHER_MS);
  try {
    const watching = await createWatcher().watch(
      [folder],
      () => told.resolve(undefined),
      (error) => told.resolve(error.message),
    );
    await writeFile(join(folder, "changed"), "");
    const problem = await told.promise;
    await watching.close();
    return problem === undefined ? { works: true } : { works: false, problem };
  } finally {
    clearTimeout(timer);
    await rm(folder, { recursive: true, force: true });
  }
}
