// Which file is the program: the bundle that `npm ci` made, if it is made of the sources as they are now; else the sources.
// A module of its own, so that bascule.mjs stays readable to every Node. Why: docs/decisions/0038-one-file-for-the-program.md.
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";

/** Where bundles are, each in a folder named after its contents, and which of them is the one. */
const BUILDS = "dist/builds/";
const RECORD = BUILDS + "current.json";
/** A file that changed so short a time ago may change again without showing it. */
const RACY_MS = 2_000;

/**
 * @typedef {[path: string, hash: string, sign?: string]} Input A file's hash when it was bundled; and its sign, when it was last seen to be that.
 * @param {string} root Path of this package, ending in a slash.
 * @returns {Promise<string | undefined>} Path of the program's first file; undefined if there is none.
 */
export async function findProgram(root) {
  // Not in the npm package: Node strips no types under node_modules.
  const sources = root + "host/doors/cli/main.ts";
  if (signOf(sources) === undefined) return existing(root + "dist/program/cli.js");
  try {
    return (await freshBundle(root)) ?? sources;
  } catch {
    // What cannot be looked at, or goes away meanwhile, is not known to be the same.
    return sources;
  }
}

/** Whether a file is what was bundled, its contents say; that it looks as it did when they were read only saves reading it again. */
async function freshBundle(root) {
  const record = readRecord(root + RECORD);
  const program = record && existing(root + BUILDS + record.folder + "/cli.js");
  if (program === undefined) return undefined;
  const unlike = [];
  for (const input of record.inputs) {
    const sign = signOf(root + input[0]);
    if (sign === undefined) return undefined;
    if (sign !== input[2]) unlike.push([input, sign]);
  }
  if (unlike.length === 0) return program;
  const { createHash } = await import("node:crypto");
  for (const [input, sign] of unlike) {
    // Signed before it is read: what changes in between has another sign the next time.
    if (
      createHash("sha256")
        .update(readFileSync(root + input[0]))
        .digest("base64") !== input[1]
    )
      return undefined;
    input[2] = sign;
  }
  keep(root + RECORD, record);
  return program;
}

function readRecord(path) {
  try {
    const record = JSON.parse(readFileSync(path, "utf8"));
    return record.format === 1 ? record : undefined;
  } catch {
    // Nothing was built here; or by another version, whose record is none.
    return undefined;
  }
}

/** In whole units that Node and Deno both tell; undefined if there is no such file, and another each time if it is still warm. */
function signOf(path) {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) return undefined;
  const isWarm = Math.max(info.mtimeMs, info.ctimeMs) > Date.now() - RACY_MS;
  return [info.size, info.ino, Math.floor(info.mtimeMs), Math.floor(info.ctimeMs / 1000), ...(isWarm ? [performance.now()] : [])].join(" ");
}

function existing(path) {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : path;
}

function keep(path, record) {
  const temporary = path + "." + process.pid;
  try {
    writeFileSync(temporary, JSON.stringify(record));
    renameSync(temporary, path);
  } catch {
    // Somebody else's checkout: the files are read at each start.
  }
}
