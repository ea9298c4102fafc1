/**
 * `npm run cluster`: starts a NATS server, three members of a cluster and a project that calls it, until Ctrl-C.
 *
 * `-- --plugins FOLDER` (default: the plugins of this repository), `--folder FOLDER` for the projects (default: a new temporary one, which
 * is removed at the end). Needs `nats-server`.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openOwnKey } from "../host/cluster/own-key.ts";
import { currentPlatform } from "../host/platform/mod.ts";
import { clusterKeyFile } from "../host/project/places.ts";
import { openTrustStore } from "../host/project/trust/trust-store.ts";
import { REPOSITORY } from "./run-command.ts";

const MEMBERS = ["alpha", "beta", "gamma"];
const CLUSTER = "farm";
const BIN = `${REPOSITORY}bin/bascule.mjs`;

const args = process.argv.slice(2);
const option = (name: string): string | undefined => (args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : undefined);
const platform = currentPlatform({ log: { level: "error" } });
const plugins = resolve(option("plugins") ?? `${REPOSITORY}plugins`);
const given = option("folder");
if (given !== undefined) await mkdir(resolve(given), { recursive: true });
const folder = await realpath(given === undefined ? await mkdtemp(join(tmpdir(), "bascule-cluster-")) : resolve(given));
const children: ChildProcess[] = [];

const port = await freePort();
const url = `nats://127.0.0.1:${port}`;
const keys = Object.fromEntries(await Promise.all([...MEMBERS, "caller"].map(async (name) => [name, await openProject(name)] as const)));
const members = Object.fromEntries(MEMBERS.map((name) => [name, keys[name]]));
for (const name of MEMBERS) await write(name, { plugins: [plugins], cluster: { members, callers: { caller: keys["caller"] } } });
await write("caller", {
  plugins: [plugins],
  remotes: { [CLUSTER]: { url, cluster: CLUSTER } },
  policy: { default: { route: "remote" } },
  cluster: { members },
});

start("nats-server", ["--addr", "127.0.0.1", "--port", String(port), "--jetstream", "--store_dir", join(folder, "nats")], folder);
await answers(port);
for (const name of MEMBERS)
  start(process.execPath, [BIN, "serve", "--port=0", `--join=${url}`, `--cluster=${CLUSTER}`], join(folder, name));
console.log(
  `${url}  cluster ${CLUSTER}: ${MEMBERS.join(", ")}\n\n  cd ${join(folder, "caller")}\n  node ${BIN} doctor\n\nPress Ctrl-C to stop.`,
);
await new Promise((end) => process.once("SIGINT", end));
await Promise.all(children.map(ended));
if (given === undefined) await rm(folder, { recursive: true, force: true });

/** Returns the public key of the project's host. */
async function openProject(name: string): Promise<string> {
  const root = join(folder, name);
  await mkdir(root, { recursive: true });
  const trust = await openTrustStore(platform, root);
  await trust.change((before) => ({ ...before, all: true }));
  return (await openOwnKey(platform, await clusterKeyFile(platform, root))).publicKey;
}

async function write(name: string, config: object): Promise<void> {
  await writeFile(join(folder, name, "bascule.json"), `${JSON.stringify(config, null, 2)}\n`);
}

/** Shows only the errors of the program. */
function start(program: string, words: readonly string[], cwd: string): void {
  const child = spawn(program, words, { cwd, stdio: ["ignore", "ignore", program === "nats-server" ? "ignore" : "inherit"] });
  child.on("error", (error) => console.error(`Cannot start ${program}: ${error.message} (apt-get install nats-server)`));
  children.push(child);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const closed = new Promise((end) => child.once("close", end));
  child.kill("SIGTERM");
  await closed;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  // A server on TCP has an address with a port.
  const { port: free } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return free;
}

/** Waits until the server listens. */
async function answers(at: number): Promise<void> {
  const { connect } = await import("node:net");
  for (let tries = 0; tries < 100; tries++) {
    const isOpen = await new Promise<boolean>((open) => {
      const socket = connect(at, "127.0.0.1", () => {
        socket.destroy();
        open(true);
      });
      socket.on("error", () => open(false));
    });
    if (isOpen) return;
    await new Promise((next) => setTimeout(next, 50));
  }
  throw new Error("nats-server does not listen");
}
