/**
 * Fetches repositories with the `git` program, configured to execute and follow nothing (CVE-2017-1000117, CVE-2018-17456, CVE-2022-39253).
 */

import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type FetchedRepository, type FetchRepositoryOptions, type Git, GitError } from "./git-types.ts";
import { type GuardedEnd, runGuarded } from "./run-guarded.ts";
import { makeScratchFolder } from "../files/scratch-folder.ts";

const FETCH_MS = 120_000;
const LOCAL_MS = 60_000;
const WATCH_MS = 250;
/** Maximum size of the packs fetched over the network. */
const MAX_PACK_BYTES: number = 256 * 1024 * 1024;
/** Maximum output of commands that print no file. */
const MAX_ANSWER_BYTES = 4_096;

/** Settings that override both the repository's configuration and the user's. */
const SETTINGS: readonly string[] = [
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.http.allow=always",
  "protocol.ssh.allow=always",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "init.templateDir=",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  // Checks objects on arrival, because hostile objects have been exploited before.
  "transfer.fsckObjects=true",
  "http.followRedirects=initial",
  "gc.auto=0",
];

/**
 * Disables password prompts, since no user is present, and LFS smudging. The content of a repository is never smudged, checked out or
 * executed.
 */
const VARIABLES: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_LFS_SKIP_SMUDGE: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  LC_ALL: "C",
};

/** A repository's attributes choose which of the user's filters run on its files, and `git archive` applies them. */
const AS_THEY_ARE = "* -filter -text -eol -ident -working-tree-encoding -export-subst -export-ignore\n";

export function createGit(): Git {
  return {
    async fetch(options) {
      const folder = await makeScratchFolder("git");
      try {
        return await fetchInto(join(folder, "repository"), options);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function fetchInto(folder: string, { url, ref, maxBytes, signal }: FetchRepositoryOptions): Promise<FetchedRepository> {
  const branch = ref === undefined ? [] : [`--branch=${ref}`];
  const how = ["--bare", "--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--no-local", "--template=", "--quiet"];
  const clone = ["clone", ...how, ...branch, "--", url, folder];
  await run(clone, { ms: FETCH_MS, maxBytes: MAX_ANSWER_BYTES, signal, growing: folder, cwd: dirname(folder) });
  // Overrides the repository's own attributes, so that files are read unchanged.
  await mkdir(join(folder, "info"), { recursive: true });
  await writeFile(join(folder, "info", "attributes"), AS_THEY_ARE);
  const local = { ms: LOCAL_MS, signal, home: folder, cwd: folder };
  const inside = [`--git-dir=${folder}`];
  const head = await run([...inside, "rev-parse", "--verify", "HEAD^{commit}"], { ...local, maxBytes: MAX_ANSWER_BYTES });
  const commit = new TextDecoder().decode(head).trim();
  const tar = await run([...inside, "archive", "--format=tar", commit], { ...local, maxBytes });
  return { commit, tar };
}

interface RunOptions {
  readonly ms: number;
  /** Home folder for the user's settings. Default: the user's home. */
  readonly home?: string;
  /** Maximum size of the output. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly cwd: string;
  /** Folder whose size is bounded. */
  readonly growing?: string;
}

async function run(args: readonly string[], { ms, maxBytes, signal, growing, home, cwd }: RunOptions): Promise<Uint8Array> {
  const stop = new AbortController();
  let problem: string | undefined;
  const end = (why: string): void => {
    problem ??= why;
    stop.abort();
  };
  const timer = setTimeout(() => end(`It took longer than ${ms / 1_000} s`), ms);
  const watching = growing === undefined ? undefined : setInterval(() => void watch(growing, end), WATCH_MS);
  try {
    const ended = await runGuarded({
      file: "git",
      args: [...SETTINGS.flatMap((setting) => ["-c", setting]), ...args],
      cwd,
      env: {
        ...environmentWithoutGit(),
        ...VARIABLES,
        ...(home !== undefined && { HOME: home, XDG_CONFIG_HOME: home, USERPROFILE: home }),
      },
      maxBytes,
      signal: AbortSignal.any([signal, stop.signal]),
    });
    if (ended.kind === "ended" && ended.exitCode === 0) return ended.output;
    throw new GitError(problem ?? whyNot(ended, maxBytes));
  } finally {
    clearTimeout(timer);
    clearInterval(watching);
  }
}

function whyNot(ended: GuardedEnd, maxBytes: number): string {
  if (ended.kind === "not_started") return ended.why === "not_found" ? "git is not installed" : "git cannot start";
  if (ended.kind === "ended") return lastLine(ended.errors) || `git exited with code ${ended.exitCode}`;
  return { signal: "It was cancelled", size: `It holds more than ${maxBytes} bytes`, system: "the system ended git" }[ended.by];
}

/** Ends the fetch if the packs grow too large. A file that does not exist yet or any more counts as 0. */
async function watch(folder: string, end: (why: string) => void): Promise<void> {
  const packs = join(folder, "objects", "pack");
  const names = await readdir(packs).catch((): string[] => []);
  let total = 0;
  for (const name of names)
    total += await stat(join(packs, name)).then(
      ({ size }) => size,
      () => 0,
    );
  if (total > MAX_PACK_BYTES) end(`It is larger than ${MAX_PACK_BYTES / 1024 / 1024} MiB`);
}

/** Returns the environment without variables that would point git at another repository or make it run something. */
function environmentWithoutGit(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(process.env).flatMap(([name, value = ""]) => (name.startsWith("GIT_") ? [] : [[name, value]])));
}

function lastLine(said: string): string {
  return said.trim().split("\n").at(-1)?.trim() ?? "";
}
