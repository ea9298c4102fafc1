// oxlint-disable no-console -- it prints results
/**
 * A subset of `Deno` for Node that runs the tests of the bundled plugins: `node --import ./deno-on-node.mjs main.test.ts`.
 *
 * Prints each test and step as `deno test` does, and exits with 1 if one fails.
 */

import * as fs from "node:fs/promises";

class NotFound extends Error {}
class AlreadyExists extends Error {}
class NotADirectory extends Error {}

const CLASSES = { ENOENT: NotFound, EEXIST: AlreadyExists, ENOTDIR: NotADirectory };

async function translated(act) {
  try {
    return await act();
  } catch (error) {
    const Known = CLASSES[error.code];
    throw Known === undefined ? error : new Known(error.message);
  }
}

const kinds = (entry) => ({ isFile: entry.isFile(), isDirectory: entry.isDirectory(), isSymlink: entry.isSymbolicLink() });
const flagOf = ({ append, createNew } = {}) => (createNew ? "wx" : append ? "a" : "w");
const tests = [];

globalThis.Deno = {
  errors: { NotFound, AlreadyExists, NotADirectory },
  cwd: () => process.cwd(),
  readFile: (path) => translated(async () => new Uint8Array(await fs.readFile(path))),
  readTextFile: (path) => translated(() => fs.readFile(path, "utf8")),
  writeFile: (path, bytes, options) => translated(() => fs.writeFile(path, bytes, { flag: flagOf(options) })),
  writeTextFile: (path, text, options) => translated(() => fs.writeFile(path, text, { flag: flagOf(options) })),
  mkdir: (path, options) => translated(() => fs.mkdir(path, options)),
  remove: (path) => translated(() => fs.rm(path)),
  realPath: (path) => translated(() => fs.realpath(path)),
  stat: (path) => translated(async () => ({ ...kinds(await fs.stat(path)), size: (await fs.stat(path)).size })),
  lstat: (path) => translated(async () => ({ ...kinds(await fs.lstat(path)), size: (await fs.lstat(path)).size })),
  async *readDir(path) {
    const entries = await translated(() => fs.readdir(path, { withFileTypes: true }));
    for (const entry of entries) yield { name: entry.name, ...kinds(entry) };
  },
  test: (name, fn) => void tests.push({ name, fn }),
};

async function run({ name, fn }, level) {
  let failed = false;
  const context = {
    name,
    step: async (stepName, stepFn) => {
      const ok = await run({ name: stepName, fn: stepFn }, level + 1);
      failed ||= !ok;
      return ok;
    },
  };
  let problem = "";
  try {
    await fn(context);
  } catch (error) {
    failed = true;
    problem = `\n${error.stack}`;
  }
  console.log(`${"  ".repeat(level)}${name} ... ${failed ? "FAILED" : "ok"}${problem}`);
  return !failed;
}

process.once("beforeExit", async () => {
  for (const test of tests) if (!(await run(test, 0))) process.exitCode = 1;
});
