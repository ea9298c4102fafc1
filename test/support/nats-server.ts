/** Real nats-server processes for tests, each with a folder of its own. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** For the title of tests that are skipped without it. */
export const HAS_NATS: boolean = spawnSync("nats-server", ["--version"]).status === 0;
export const NATS_TITLE: string = HAS_NATS ? "nats-server" : "nats-server (not installed: apt-get install nats-server)";

export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Ends the process as a power failure does. */
  kill(): Promise<void>;
  /** Starts it again, on the same port and with the same folder. */
  start(): Promise<void>;
  /** Ends the process and removes the folder. */
  remove(): Promise<void>;
}

export interface NatsServerOptions {
  /** Lines for the jetstream block, or false for a server without JetStream. */
  readonly jetstream?: string | false;
  /** Lines for the configuration file. */
  readonly config?: string;
}

/** Starts a server that ends with the test. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const server = await createNatsServer(options);
  onTestFinished(() => server.remove());
  return server;
}

/** Starts a server that its caller removes. */
export async function createNatsServer({ jetstream = "", config = "" }: NatsServerOptions = {}): Promise<NatsServer> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-nats-")));
  const port = await freePort();
  const store = jetstream === false ? "" : `jetstream { store_dir: ${JSON.stringify(join(folder, "store"))}\n${jetstream} }\n`;
  await writeFile(join(folder, "nats.conf"), `listen: "127.0.0.1:${port}"\n${store}${config}\n`);
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const closed = once(ending, "close");
    ending.kill("SIGKILL");
    await closed;
  }

  async function start(): Promise<void> {
    const started = spawn("nats-server", ["--config", join(folder, "nats.conf")], { stdio: ["ignore", "ignore", "pipe"] });
    child = started;
    let said = "";
    started.stderr.on("data", (data: Buffer) => void (said = (said + data.toString()).slice(-10_000)));
    while (!(await accepts(port))) {
      if (started.exitCode !== null) throw new Error(`nats-server ended with ${started.exitCode}: ${said}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    kill,
    start,
    async remove() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Wire {
  readonly url: string;
  /** Ends its connections and refuses new ones. */
  cut(): void;
  /** Lets nothing more through, and ends nothing. */
  hold(): void;
  heal(): void;
  /** Leads to another port from now on. */
  lead(port: number): void;
}

/** A connection to a port that a test can cut. It ends with the test. */
export async function startWire(port: number): Promise<Wire> {
  const sockets = new Set<Socket>();
  let target = port;
  let state: "open" | "cut" | "held" = "open";
  const server = createServer((near) => {
    if (state === "cut") return void near.destroy();
    const far = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on("data", (data: Buffer) => {
        if (state === "open") to.write(data);
      });
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const endAll = (): void => sockets.forEach((socket) => socket.destroy());
  onTestFinished(async () => {
    endAll();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `nats://127.0.0.1:${portOf(server)}`,
    cut() {
      state = "cut";
      endAll();
    },
    hold: () => void (state = "held"),
    heal() {
      // The held bytes are lost, as after a partition.
      if (state === "held") endAll();
      state = "open";
    },
    lead: (other) => void (target = other),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(server: ReturnType<typeof createServer>): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}

async function accepts(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
