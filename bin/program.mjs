// Finds the program: the bundle from `npm ci` if it matches the current sources, otherwise the sources.
// A separate module, so that every Node can parse bascule.mjs. Reasons: docs/decisions/0038-one-file-for-the-program.md.
import { mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/** Folder of the bundles, each in a subfolder named after its contents. RECORD names the current one. */
const BUILDS = "dist/builds/";
const RECORD = BUILDS + "current.json";
/** Age in milliseconds below which a file can change again with the same size and time. */
const RACY_MS = 2_000;

/** Permissions of other users to write. In a sticky folder they can only rename and delete what they own. */
const WRITE_OF_OTHERS = 0o022;
const WRITE_OF_ALL = 0o002;
const STICKY = 0o1000;

/**
 * Caches compiled code between starts, as host/platform/threads/compile-cache.ts does for workers. Deno has its own cache. Compiled code
 * runs as it is, so the cache is not used if another user can write it, or put another folder in its place.
 */
export function keepCompiled() {
  const { enableCompileCache } = process.getBuiltinModule("node:module");
  if (enableCompileCache === undefined) return;
  const { XDG_CACHE_HOME: base = "" } = process.env;
  try {
    const folder = join(isAbsolute(base) ? base : join(process.getBuiltinModule("node:os").homedir(), ".cache"), "bascule", "compile");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (isOwn(folder) && isOwn(realpathSync(folder))) enableCompileCache(folder);
  } catch {
    // A home that is read-only or missing: the code is compiled at each start.
  }
}

/** Like host/platform/files/own-folder.ts, which no start loads before it knows its program. */
function isOwn(folder) {
  if (process.getuid === undefined) return true;
  const user = process.getuid();
  const owners = [user, 0, statSync("/").uid];
  for (let path = folder; ; path = dirname(path)) {
    const { uid, gid, mode } = statSync(path);
    // Above the cache, the user's own group counts as the user: many systems give each user a group.
    const writes = path !== folder && gid === process.getgid() ? WRITE_OF_ALL : WRITE_OF_OTHERS;
    const isSticky = (mode & STICKY) !== 0 && path !== folder;
    if (!(path === folder ? uid === user : owners.includes(uid)) || (!isSticky && (mode & writes) !== 0)) return false;
    if (dirname(path) === path) return true;
  }
}

/**
 * @typedef {[path: string, hash: string, size?: number, inode?: number, changedMs?: number, inodeChangedS?: number]} Input A file's hash when
 * it was bundled, and its metadata when it last had that hash, in units that Node and Deno share.
 * @param {string} root Path of this package with a trailing slash
 * @returns {Promise<string | undefined>} Path of the program's entry file; undefined if it does not exist
 */
export async function findProgram(root) {
  // Not in the npm package: Node strips no types under node_modules.
  const sources = root + "host/doors/cli/main.ts";
  if (existing(sources) === undefined) return existing(root + "dist/program/cli.js");
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
  const program = record && existing(root + BUILDS + record.folder + "/cli.js");
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
  const { createHash } = await import("node:crypto");
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
