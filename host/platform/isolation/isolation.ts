/** Finds out once how the sandbox's process can be confined on this system, and starts such processes. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ProcessConnection } from "../../../sandbox/mod.ts";
import { fileForDeno } from "../executable/executable.ts";
import type { Confinement, Isolation } from "../platform.ts";
import { codeFolders } from "./code-folders.ts";
import { type Confined, confinements } from "./confine.ts";
import { startProcess } from "./processes.ts";
import { type ProcessRuntime, processRuntimes } from "./runtimes.ts";

/** A runtime under a confinement. */
export interface Way {
  readonly runtime: ProcessRuntime;
  readonly confined: Confined;
}

/** A way that has been tried. */
interface TriedWay extends Way {
  readonly version: string;
}

const TRIAL_MS = 20_000;

export function createIsolation(): Isolation {
  let found: Promise<TriedWay> | undefined;
  /** Lazy, because most hosts never need it. */
  function way(): Promise<TriedWay> {
    found ??= findWay();
    return found;
  }
  return {
    async prepareProcesses() {
      const chosen = await way();
      const { name } = chosen.runtime;
      const [readable, entry] = [codeFolders(name), name === "deno" ? fileForDeno(ENTRY) : ENTRY];
      return () => startIn(chosen, readable, entry);
    },
    inspect: async () => describe(await way()),
  };
}

/** Starts a script in a process that is confined like the sandbox's own. Tests use it for hostile scripts. */
export function startIn({ runtime, confined }: Way, readable: readonly string[], entry: string): ProcessConnection {
  return startProcess({
    owner: "sandbox",
    command: confined.command(runtime.program, runtime.args(entry, readable)),
    cwd: confined.cwd,
    isBehindAnother: confined.system === "namespaces",
    env: { ...locale(), ...runtime.env(confined.emptyFolder, readable) },
  });
}

/** Returns the host's language and time zone, which guests see on every route; nothing else of its environment. */
function locale(): Readonly<Record<string, string>> {
  return { LC_ALL: `${navigator.language.replace("-", "_")}.UTF-8`, TZ: new Intl.DateTimeFormat().resolvedOptions().timeZone };
}

async function findWay(): Promise<TriedWay> {
  const tried: string[] = [];
  for (const runtime of processRuntimes()) {
    for (const confined of confinements(process.platform, codeFolders(runtime.name))) {
      const answer = await tryWay({ runtime, confined });
      if (typeof answer === "object") return { runtime, confined, version: answer.version };
      tried.push(`${runtime.program} (${confined.system}): ${answer}`);
    }
  }
  throw new Error(`Cannot run the sandbox in a process of its own: ${tried.join("; ")} (set "isolation" of bascule.json to "thread")`);
}

/** Tries a runtime. Returns its version, or why it cannot be used. */
export function tryWay({ runtime, confined }: Way): Promise<{ readonly version: string } | string> {
  const [program, ...args] = confined.command(runtime.program, runtime.versionArgs);
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { cwd: confined.cwd, env: runtime.env(confined.emptyFolder, []), timeout: TRIAL_MS },
      (error, stdout, stderr) => {
        if (error !== null) return resolve(stderr.trim().slice(0, 200) || error.message.slice(0, 200));
        const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
        if (version === undefined) return resolve("it does not print a version");
        return resolve(
          Number.parseInt(version, 10) >= runtime.atLeast ? { version } : `version ${version} is older than ${runtime.atLeast}`,
        );
      },
    );
  });
}

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const ENTRY = fileURLToPath(new URL(`./process-main.${EXTENSION}`, import.meta.url));

function describe({ runtime, version, confined }: TriedWay): Confinement {
  return {
    runtime: runtime.name,
    version,
    program: runtime.program,
    system: confined.system,
    noNewPrivileges: confined.noNewPrivileges,
    inForce: [
      runtime.name === "deno"
        ? "Deno's permissions: only reading bascule's own code"
        : "Node's --permission on its main thread: only bascule's own code readable, no child processes, no addons",
      ...IN_FORCE[confined.system],
      ...(confined.noNewPrivileges ? ["no new privileges, no core dumps, no file writes"] : []),
    ],
    leavesOpen: [...(runtime.name === "node" ? NODE_LEAVES_OPEN[confined.system] : []), ...LEAVES_OPEN[confined.system]],
  };
}

const IN_FORCE: Readonly<Record<Confined["system"], readonly string[]>> = {
  namespaces: [
    "Linux namespaces: no network, no other processes, a private read-only root with the runtime, the system's libraries and bascule's code",
  ],
  network: ["a Linux network namespace: no network"],
  none: [],
};

/** Node's permissions do not cover worker threads, the network or signals (https://nodejs.org/api/permissions.html). */
const NODE_LEAVES_OPEN: Readonly<Record<Confined["system"], readonly string[]>> = {
  namespaces: [],
  network: ["the user's files: Node's permissions do not cover worker threads"],
  none: [
    "the user's files, the network and signals: Node's permissions cover neither worker threads nor the network and signals (install Deno)",
  ],
};
const LEAVES_OPEN: Readonly<Record<Confined["system"], readonly string[]>> = {
  namespaces: ["kernel vulnerabilities: system calls are not filtered", "CPU time: bounded only by each call's limits"],
  network: [
    "native code that bypasses the runtime's permissions: the user's files, the user's other processes, local socket files",
    "kernel vulnerabilities: system calls are not filtered",
  ],
  none: [
    "native code that bypasses the runtime's permissions: everything that the user may do",
    "kernel vulnerabilities: system calls are not filtered",
  ],
};
