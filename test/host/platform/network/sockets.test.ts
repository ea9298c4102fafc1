import { chown, lstat, mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { createConnection, createServer, Socket } from "node:net";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createStreamConnection, MAX_LINE_BYTES } from "../../../../host/platform/network/line-connection.ts";
import { connectToPath, listenOnPath } from "../../../../host/platform/network/path-sockets.ts";
import { createSockets } from "../../../../host/platform/network/sockets.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const sockets = createSockets();

describe.runIf(process.platform !== "win32")("createSockets()", () => {
  it("creates a socket for this user only and leaves nothing else behind [I2.socket]", async () => {
    const folder = await temporaryFolder();
    const listening = await sockets.listen(join(folder, "host.sock"), () => {});
    const { mode } = await lstat(join(folder, "host.sock"));
    expect(mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["host.sock"]);
    await listening.close();
    expect(await readdir(folder)).toEqual([]);
  });

  it("replaces a stale socket [I2.socket]", async () => {
    const path = join(await temporaryFolder(), "host.sock");
    await leaveStaleSocket(path);
    expect((await lstat(path)).isSocket()).toBe(true);
    expect(await sockets.connect(path)).toBeUndefined();
    const listening = await sockets.listen(path, (connection) => connection.send("alive"));
    const lines: string[] = [];
    const connection = await sockets.connect(path);
    connection?.onLine((line) => void lines.push(line));
    await expect.poll(() => lines).toEqual(["alive"]);
    await listening.close();
  });

  it("gives a path to exactly one of many hosts that start at once [I2.socket]", async () => {
    const path = join(await temporaryFolder(), "host.sock");
    await leaveStaleSocket(path);
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => sockets.listen(path, () => {})));
    const listening = outcomes.filter((outcome) => outcome.status === "fulfilled");
    expect(listening).toHaveLength(1);
    for (const { value } of listening) await value.close();
  });

  it("does not replace a file that is not a socket", async () => {
    const path = join(await temporaryFolder(), "host.sock");
    await writeFile(path, "mine");
    await expect(sockets.listen(path, () => {})).rejects.toMatchObject({ code: "already_exists" });
    expect((await lstat(path)).size).toBe(4);
  });

  it("neither connects through a link nor takes its target for a host [I2.foreign]", async () => {
    const [folder, own] = [await temporaryFolder(), await temporaryFolder()];
    const stranger = await sockets.listen(join(folder, "stranger.sock"), () => expect.unreachable());
    const path = join(own, "host.sock");
    await symlink(join(folder, "stranger.sock"), path);
    await expect(sockets.connect(path)).rejects.toMatchObject({
      code: "permission_denied",
      message: expect.stringContaining("link") as string,
    });
    await expect(sockets.listen(path, () => {})).rejects.toMatchObject({ code: "permission_denied" });
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    await stranger.close();
  });

  it.runIf(process.getuid?.() === 0)(
    "refuses another user's socket and accepts its own in another user's folder [I2.foreign]",
    async () => {
      const folder = await temporaryFolder();
      const path = join(folder, "host.sock");
      let connections = 0;
      const listening = await sockets.listen(path, () => void (connections += 1));
      await chown(path, 65_534, 65_534);
      await expect(sockets.connect(path)).rejects.toMatchObject({ code: "permission_denied" });
      await expect(sockets.listen(path, () => {})).rejects.toMatchObject({ code: "permission_denied" });
      await chown(path, 0, 0);
      await chown(folder, 65_534, 65_534);
      (await sockets.connect(path))?.close();
      await expect.poll(() => connections).toBe(1);
      await listening.close();
    },
  );

  it.runIf(process.platform === "linux")("works if the path is longer than a socket address", async () => {
    const folder = join(await temporaryFolder(), "x".repeat(200));
    await mkdir(folder);
    const listening = await sockets.listen(join(folder, "host.sock"), (connection) => connection.onLine((line) => connection.send(line)));
    const connection = await sockets.connect(join(folder, "host.sock"));
    const lines: string[] = [];
    connection?.onLine((line) => void lines.push(line));
    connection?.send("hello");
    await expect.poll(() => lines).toEqual(["hello"]);
    await listening.close();
  });

  it("closes a connection whose line is too long and serves the others [I2.socket]", async () => {
    const path = join(await temporaryFolder(), "host.sock");
    const lines: string[] = [];
    let closed = 0;
    const listening = await sockets.listen(path, (connection) => {
      connection.onLine((line) => void lines.push(line));
      connection.onClose(() => (closed += 1));
    });
    const raw = createConnection(path);
    raw.on("error", () => {});
    raw.write(new Uint8Array(MAX_LINE_BYTES + 1).fill(0x61));
    await expect.poll(() => closed).toBe(1);
    const other = await sockets.connect(path);
    other?.send("fine");
    await expect.poll(() => lines).toEqual(["fine"]);
    await listening.close();
  });

  it("assembles lines from pieces of any size", async () => {
    const path = join(await temporaryFolder(), "host.sock");
    const lines: string[] = [];
    const listening = await sockets.listen(path, (connection) => connection.onLine((line) => void lines.push(line)));
    const raw = createConnection(path);
    for (const byte of new TextEncoder().encode("ä\r\n\n👋 x\npart")) raw.write(Uint8Array.of(byte));
    await expect.poll(() => lines).toEqual(["ä", "", "👋 x"]);
    raw.destroy();
    await listening.close();
  });
});

describe("createStreamConnection()", () => {
  it("delivers no line after it was closed [I2.closed]", () => {
    const input = new PassThrough();
    const lines: string[] = [];
    const connection = createStreamConnection(input, new PassThrough());
    connection.onLine((line) => {
      lines.push(line);
      if (line === "bye") connection.close();
    });
    input.emit("data", Buffer.from("hello\nbye\nagain\n"));
    input.emit("data", Buffer.from("and again\n"));
    expect(lines).toEqual(["hello", "bye"]);
  });

  it("delivers a bounded number of lines per turn of the event loop, in order [LV1.lines]", async () => {
    const input = new PassThrough();
    const [heard, inTurn]: [string[], number[]] = [[], []];
    let turn = 0;
    createStreamConnection(input, new PassThrough()).onLine((line) => {
      heard.push(line);
      inTurn[turn] = (inTurn[turn] ?? 0) + 1;
    });
    const sent = Array.from({ length: 20_000 }, (_, nth) => String(nth));
    input.end(Buffer.from(`${sent.join("\n")}\n`));
    for (; heard.length < sent.length && turn < sent.length; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual(sent);
    expect(Math.max(...inTurn.map((count) => count ?? 0))).toBeLessThanOrEqual(64);
  });

  it("joins thousands of one-byte pieces while a line is incomplete [I2.drip]", () => {
    const input = new PassThrough();
    const lines: string[] = [];
    createStreamConnection(input, new PassThrough()).onLine((line) => void lines.push(line));
    const text = "abcdefghij".repeat(500);
    const pieces = Array.from(`${text}\n${text}`, (character) => Buffer.from(character));
    for (const piece of pieces) {
      input.emit("data", piece);
      // Buffers that are no longer held can be overwritten.
      if (piece === pieces[3_000]) for (const old of pieces.slice(0, 2_000)) old.fill(0x78);
    }
    input.emit("data", Buffer.from("\n"));
    expect(lines).toEqual([text, text]);
  });
});

/** Leaves a socket file whose listener has ended without removing it. */
async function leaveStaleSocket(path: string): Promise<void> {
  const { link, unlink } = await import("node:fs/promises");
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(`${path}.first`, resolve));
  await link(`${path}.first`, path);
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  await unlink(`${path}.first`).catch(() => "closing has removed it");
}

describe.runIf("Deno" in globalThis && process.platform !== "win32")("sockets on Deno", () => {
  it("are none of node:net, which closes their descriptors twice [I2.socket]", async () => {
    const path = join(await temporaryFolder(), "s");
    const accepted = Promise.withResolvers<unknown>();
    const server = await listenOnPath(path, accepted.resolve);
    const socket = await connectToPath(path);
    expect([socket instanceof Socket, (await accepted.promise) instanceof Socket]).toEqual([false, false]);
    socket.destroy();
    await server.close();
  });
});
