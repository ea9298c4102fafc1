import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createWireBody, MAX_WAITING_BUFFERS } from "../../../host/platform/network/network-pieces.ts";
import { createNetworkSlots } from "../../../host/platform/network/network-slots.ts";
import { netCall, rawServer, type TestServer } from "../../support/hostile-server.ts";

const never = (): Promise<never> => new Promise(() => undefined);

/** Resolves to whether the promise has settled after all pending tasks have run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  return settled;
}

describe("attack: a plugin that takes the network from others", () => {
  it("holds all its connections to a host: others have their own [C6.concurrency, B10]", async () => {
    const slots = createNetworkSlots();
    const { signal } = new AbortController();
    const held = await Promise.all(Array.from({ length: 48 }, () => slots.connection("api.test", { owner: "evil", signal })));
    const next = slots.connection("api.test", { owner: "evil", signal });
    expect(await isSettled(next)).toBe(false);
    expect(await isSettled(slots.connection("api.test", { owner: "words", signal }))).toBe(true);
    held[0]?.();
    expect(await isSettled(next)).toBe(true);
  });

  it("is called by a token that holds all its connections: the plugin's other callers have theirs [LV3.connections]", async () => {
    const slots = createNetworkSlots();
    const { signal } = new AbortController();
    const connect = (owner: string, caller: string, host = "api.test"): Promise<() => void> =>
      slots.connection(host, { owner, caller, signal });
    await Promise.all(Array.from({ length: 32 }, () => connect("words", "evil")));
    const next = connect("words", "evil");
    expect(await isSettled(next)).toBe(false);
    const others = await Promise.all(Array.from({ length: 16 }, () => connect("words", "other")));
    expect(await isSettled(connect("words", "third"))).toBe(false);
    // Across all plugins it has 64 to a host, and others to another host.
    for (const owner of ["a", "b"]) await Promise.all(Array.from({ length: 16 }, () => connect(owner, "evil")));
    expect(await isSettled(connect("c", "evil"))).toBe(false);
    expect(await isSettled(connect("c", "evil", "other.test"))).toBe(true);
    others[0]?.();
    // Goes to the caller below its share.
    expect(await isSettled(next)).toBe(false);
  });

  it("looks up one name at a time for a token, whatever plugins it calls [LV3.connections]", async () => {
    const slots = createNetworkSlots();
    const { signal } = new AbortController();
    const begun: string[] = [];
    const lookUp = (owner: string, caller: string): Promise<never> =>
      slots.lookup(() => (begun.push(`${owner} ${caller}`), never()), { owner, caller, signal });
    for (const owner of ["a", "b", "c"]) void lookUp(owner, "evil");
    void lookUp("d", "other");
    expect(await isSettled(never())).toBe(false);
    expect(begun).toEqual(["a evil", "d other"]);
  });

  it("releases its slots, however a request ends [C6.concurrency, C6.close]", async () => {
    const ends = ["read", "closed", "broken", "redirected", "refused"] as const;
    const server: TestServer = await rawServer((socket) => {
      // In sequence, each of them more often than there are slots.
      const end = ends[server.connections() % ends.length];
      if (end === "broken") return void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nx");
      if (end === "redirected") return void socket.end("HTTP/1.1 302 Found\r\nLocation: http://10.0.0.1/\r\n\r\n");
      if (end === "refused") return void socket.end("no HTTP");
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
    });
    const { fetch, answer } = netCall(["127.0.0.1"]);
    for (let id = 1; id <= 100; id++) {
      const begun = await fetch(server.origin);
      if (id % 2 === 0 || !begun.ok) await answer("net.close", { id });
      else while (((await answer("net.read", { id })) as { readonly value?: unknown }).value === false);
    }
    expect(server.connections()).toBe(100);
  });

  it("receives from many servers at once: each turn of the event loop serves it and others [LV3.network]", async () => {
    const slots = createNetworkSlots();
    const got: string[] = [];
    const ask = (owner: string): void => void slots.piece({ owner, signal: new AbortController().signal }).then(() => got.push(owner));
    const inThisTurn = async (): Promise<readonly string[]> => {
      for (let task = 0; task < 50; task++) await Promise.resolve();
      return got.splice(0);
    };
    for (let count = 0; count < 10; count++) ask("evil");
    ask("words");
    expect(await inThisTurn()).toEqual(["evil", "evil", "evil", "evil", "words"]);
    // Slots are released one by one, each in a task of the same turn.
    const rest: number[] = [];
    for (let turn = 0; rest.length === 0 || rest.at(-1) !== 0; turn++) {
      await nextTurn();
      rest.push((await inThisTurn()).length);
    }
    expect([rest.reduce((all, count) => all + count, 0), Math.max(...rest) <= 4]).toEqual([6, true]);
    const gone = slots.piece({ owner: "evil", signal: AbortSignal.abort() });
    await expect(gone).rejects.toMatchObject({ code: "aborted" });
  });

  it("resolves slow names: others are answered meanwhile [C6.lookups, B10]", async () => {
    const slots = createNetworkSlots();
    const { signal } = new AbortController();
    for (let name = 0; name < 100; name++) void slots.lookup(never, { owner: "evil", signal });
    await expect(slots.lookup(async () => "found", { owner: "words", signal })).resolves.toBe("found");
  });

  it("resolves many names and cancels at once: none is looked up, and no error is unhandled [C6.lookups, C6.close, B4]", async () => {
    let lookups = 0;
    let fail: () => void = () => undefined;
    const resolve = (): Promise<never> => {
      lookups++;
      return new Promise((_, reject) => (fail = () => reject(new Error("no such name"))));
    };
    const { fetch, answer } = netCall(["*.evil.test"], { resolve });
    const first = fetch("http://first.evil.test/");
    await expect.poll(() => lookups).toBe(1);
    const others: Promise<unknown>[] = [];
    for (let id = 2; id <= 50; id++) {
      others.push(fetch(`http://a${id}.evil.test/`));
      // Half of them before their lookup began, half while they wait.
      if (id % 2 === 0) await nextTurn();
      await answer("net.close", { id });
    }
    await Promise.all(others);
    fail();
    expect(await first).toMatchObject({ value: { failed: expect.stringContaining("dns error") } });
    for (let turn = 0; turn < 10; turn++) await nextTurn();
    expect(lookups).toBe(1);
  });
});

describe("attack: a body in tiny pieces", () => {
  /** Plays the parser: pushes pieces while it may, over many turns. */
  async function crumbs(size: number): Promise<{ readonly perTurn: number; readonly buffers: number; readonly bytes: number }> {
    let isPaused = false;
    let perTurn = 0;
    const wire = createWireBody(() => undefined);
    wire.begin({
      pause: () => (isPaused = true),
      resume: () => (isPaused = false),
      abort: () => undefined,
    } as unknown as Parameters<typeof wire.begin>[0]);
    for (let turn = 0; turn < 50; turn++) {
      let added = 0;
      for (; !isPaused && added < 100_000; added++) wire.add(Buffer.alloc(size));
      perTurn = Math.max(perTurn, added);
      await nextTurn();
    }
    const { readableLength: buffers } = wire.stream;
    let bytes = 0;
    for (let piece: unknown = wire.stream.read(); piece instanceof Uint8Array; piece = wire.stream.read()) bytes += piece.length;
    wire.stream.destroy();
    return { perTurn, buffers, bytes };
  }

  it.each([
    [1, 128],
    [65_536, 1],
  ])("creates few buffers and no long turn if it is not read: pieces of %i bytes [C6.credit, B1]", async (size, most) => {
    const { perTurn, buffers, bytes } = await crumbs(size);
    expect(perTurn).toBe(most);
    expect(buffers).toBe(MAX_WAITING_BUFFERS);
    expect(bytes).toBe(MAX_WAITING_BUFFERS * most * size);
  });
});
