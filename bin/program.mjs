// Finds the program: the bundle from `npm ci` if it matches the current sources, otherwise the sources.
// A separate module, so that every Node can parse bascule.mjs. Reasons: docs/decisions/0038-one-file-for-the-program.md.
const { readFileSync, renameSync, statSync, writeFileSync } = process.getBuiltinModule("node:fs");

/** Folder of the bundles, each in a subfolder named after its contents. RECORD names the current one. */
const BUILDS = "dist/builds/";
const RECORD = BUILDS + "current.json";
/** Age in milliseconds below which a file can change again with the same size and time. */
const RACY_MS = 2_000;

/**
 * @typedef {[path: string, hash: string, size?: number, inode?: number, changedMs?: number, inodeChangedS?: number]} Input A file's hash when
 * it was bundled, and its metadata when it last had that hash, in units that Node and Deno share.
 * @param {string} root Path of this package with a trailing slash
 * @returns {Promise<string | undefined>} Path of the program's entry file; undefined if it does not exist
 */
export async function findProgram(root) {
  // Not in the npm package: Node strips no types under node_modules.
  const sources = root + "host/doors/cli/start.ts";
  if (existing(sources) === undefined) return existing(root + "dist/program/start.js");
  try {
    return (await freshBundle(root)) ?? sources;
  } catch {
    // A file that cannot be read, or is deleted in the meantime, may differ from the bundled one.
    return sources;
  }
}

/** Returns the bundle if every input has its bundled hash. Unchanged metadata (size, inode, times) saves reading the file. */
async function freshBundle(root) {
  const record = readRecord(root + RECORD);
  const program = record && existing(root + BUILDS + record.folder + "/start.js");
  if (program === undefined) return undefined;
  const unlike = [];
  const racyMs = Date.now() - RACY_MS;
  // A thousand files: nothing else is computed for an unchanged one.
  for (const input of record.inputs) {
    const info = statSync(root + input[0], QUIET);
    if (info === undefined) return undefined;
    const { size, ino, mtimeMs, ctimeMs } = info;
    const isSame = size === input[2] && ino === input[3] && Math.floor(mtimeMs) === input[4] && Math.floor(ctimeMs / 1000) === input[5];
    if (!isSame || mtimeMs > racyMs || ctimeMs > racyMs) unlike.push([input, info]);
  }
  if (unlike.length === 0) return program;
  const { createHash } = process.getBuiltinModule("node:crypto");
  for (const [input, { size, ino, mtimeMs, ctimeMs }] of unlike) {
    // The metadata is of before the file is read: a change in between gives other metadata the next time.
    const hash = createHash("sha256").update(readFileSync(root + input[0]));
    if (hash.digest("base64") !== input[1]) return undefined;
    input.splice(2, 4, size, ino, Math.floor(mtimeMs), Math.floor(ctimeMs / 1000));
  }
  keep(root + RECORD, record);
  return program;
}

const QUIET = { throwIfNoEntry: false };

function readRecord(path) {
  try {
    const record = JSON.parse(readFileSync(path, "utf8"));
    return record.format === 2 ? record : undefined;
  } catch {
    // No bundle was built here, or the record is invalid.
    return undefined;
  }
}

function existing(path) {
  return statSync(path, QUIET) === undefined ? undefined : path;
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
