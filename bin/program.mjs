// Finds the program: the bundle from `npm ci` if it matches the current sources, otherwise the sources.
// A separate module, so that every Node can parse bascule.mjs. Reasons: docs/decisions/0038-one-file-for-the-program.md.
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";

/** Folder of the bundles, each in a subfolder named after its contents. RECORD names the current one. */
const BUILDS = "dist/builds/";
const RECORD = BUILDS + "current.json";
/** Age in milliseconds below which a file can change again with the same size and time. */
const RACY_MS = 2_000;

/**
 * @typedef {[path: string, hash: string, sign?: string]} Input A file's hash when it was bundled, and its signature when it last had that hash.
 * @param {string} root Path of this package with a trailing slash
 * @returns {Promise<string | undefined>} Path of the program's entry file; undefined if it does not exist
 */
export async function findProgram(root) {
  // Not in the npm package: Node strips no types under node_modules.
  const sources = root + "host/doors/cli/main.ts";
  if (signOf(sources) === undefined) return existing(root + "dist/program/cli.js");
  try {
    return (await freshBundle(root)) ?? sources;
  } catch {
    // A file that cannot be read, or is deleted in the meantime, may differ from the bundled one.
    return sources;
  }
}

/** Returns the bundle if every input has its bundled hash. An unchanged signature (size, inode, times) saves reading the file. */
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
    // Take the signature before reading the file: a change in between gives another signature the next time.
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
    // No bundle was built here, or the record is invalid.
    return undefined;
  }
}

/** Returns a file's signature, in units that Node and Deno share; undefined if the file does not exist. Unique for a recently changed file. */
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
    // The checkout is read-only: the files are read again at each start.
  }
}
