import { describe, expect, it } from "vitest";
import { createHost, functionTool, type JsonValue, toolOutput } from "../../../host/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { recordingHost } from "../../support/recording-host.ts";

const yields = (body: string): string => `export async function* run(args, context) {\n${body}\n}`;

describe("a plugin that yields", () => {
  it("sends each value in order with its progress; the result is the list of them [AX4.yields]", async () => {
    await using recorded = await recordingHost(
      yields(
        `for (let n = 1; n <= 3; n++) { context.progress("at " + n); await new Promise((done) => setTimeout(done, 1)); yield { n }; }`,
      ),
    );
    const seen: unknown[] = [];
    const result = await recorded.call({}, { onYield: (value) => void seen.push(value), onProgress: (value) => void seen.push(value) });
    expect(seen).toEqual(["at 1", { n: 1 }, "at 2", { n: 2 }, "at 3", { n: 3 }]);
    expect(result).toMatchObject({ ok: true, output: [{ n: 1 }, { n: 2 }, { n: 3 }] });
  });

  it("has what it returns as its result [AX4.returns]", async () => {
    await using recorded = await recordingHost(yields(`yield "a"; return { count: 1 };`));
    const seen: JsonValue[] = [];
    const result = await recorded.call({}, { onYield: (value) => void seen.push(value) });
    expect([result.output, seen]).toEqual([{ count: 1 }, ["a"]]);
  });

  it.each([
    ["a stream", `export function run() { return new ReadableStream({ start(c) { c.enqueue("a"); c.enqueue("b"); c.close(); } }); }`],
    ["a promise of a generator", `async function* two() { yield "a"; yield "b"; } export async function run() { return two(); }`],
    [
      "an object of its own",
      `export function run() { let n = 0; return { [Symbol.asyncIterator]: () => ({ next: () => ({ done: n > 1, value: "ab"[n++] }) }) }; }`,
    ],
  ])("may return %s [AX4.iterables]", async (_what, main) => {
    await using recorded = await recordingHost(main);
    expect(await recorded.call()).toMatchObject({ ok: true, output: ["a", "b"] });
  });

  it("waits until the caller has taken a value [AX4.credit]", async () => {
    await using recorded = await recordingHost(yields(`for (let n = 0; n < 3; n++) { console.log("makes " + n); yield n; }`));
    const seen: unknown[] = [];
    const given = Promise.withResolvers<void>();
    const ended = recorded.call(
      {},
      {
        onLog: (_level, text) => void seen.push(text),
        onYield(value) {
          seen.push(value);
          return value === 0 ? given.promise : undefined;
        },
      },
    );
    await expect.poll(() => seen).toEqual(["makes 0", 0]);
    // A whole call of the same tool takes longer than the next value would.
    expect((await recorded.call({}, { record: false })).output).toEqual([0, 1, 2]);
    expect(seen).toEqual(["makes 0", 0]);
    given.resolve();
    expect((await ended).output).toEqual([0, 1, 2]);
    expect(seen).toEqual(["makes 0", 0, "makes 1", 1, "makes 2", 2]);
  });

  it("ends when a caller that never takes a value cancels the call, and its finally runs [AX4.cancel]", async () => {
    await using recorded = await recordingHost(
      yields(`try { for (let n = 0; ; n++) yield n; } finally { await Promise.resolve(); console.log("closed"); }`),
    );
    const lines: string[] = [];
    const stop = new AbortController();
    const ended = recorded.call(
      {},
      {
        signal: stop.signal,
        onLog: (_level, text) => void lines.push(text),
        onYield(value) {
          if (value === 1) stop.abort();
          return value === 2 ? new Promise<void>(() => undefined) : undefined;
        },
      },
    );
    expect(await ended).toMatchObject({ ok: false, error: { code: "cancelled" } });
    expect(lines).toEqual(["closed"]);
  });

  it("fails with the place inside the value that is not JSON, after its finally [AX4.lost]", async () => {
    await using recorded = await recordingHost(
      yields(`try { yield 1; yield { at: [new Map([["a", 1]])] }; } finally { console.log("closed"); }`),
    );
    const lines: string[] = [];
    const result = await recorded.call({}, { onLog: (_level, text) => void lines.push(text) });
    const message = "Invalid value 2 that the tool yielded at /at/0: A Map has no JSON form (Object.fromEntries makes an object of it)";
    expect([result.ok ? undefined : [result.error.code, result.error.message], lines]).toEqual([["invalid_output", message], ["closed"]]);
  });

  it("fails when it yields more than its outputBytes, and its finally runs [AX4.bytes]", async () => {
    await using recorded = await recordingHost(yields(`try { for (;;) yield "x".repeat(1000); } finally { console.log("closed"); }`), {
      manifest: { limits: { outputBytes: 10_000 } },
    });
    let count = 0;
    const lines: string[] = [];
    const result = await recorded.call({}, { onYield: () => void count++, onLog: (_level, text) => void lines.push(text) });
    expect(result).toMatchObject({ ok: false, error: { code: "resource_exhausted", details: { limit: "outputBytes", allowed: 10_000 } } });
    expect([count, lines]).toEqual([9, ["closed"]]);
  });

  it("fails with what it throws, after the values before [AX4.throws]", async () => {
    await using recorded = await recordingHost(yields(`yield 1; throw context.error("No more");`));
    const seen: unknown[] = [];
    const result = await recorded.call({}, { onYield: (value) => void seen.push(value) });
    expect([result.ok ? undefined : result.error.message, seen]).toEqual(["No more", [1]]);
  });

  it("is recorded and replayed [AX4.replay]", async () => {
    await using recorded = await recordingHost(yields(`yield await Deno.readTextFile("a.txt"); yield Math.random();`));
    const result = await recorded.call();
    const replayed = await recorded.replay(await recorded.recording(result.callId));
    expect(replayed).toMatchObject({ outcome: { ok: true, output: { o: result.output } } });
  });

  it("keeps its session's state [AX4.state]", async () => {
    await using recorded = await recordingHost(`let calls = 0;\n${yields(`calls++; yield calls; yield "done";`)}`, {
      manifest: { state: "session" },
    });
    expect((await recorded.call({}, { record: false })).output).toEqual([1, "done"]);
    expect((await recorded.call({}, { record: false })).output).toEqual([2, "done"]);
  });

  it("can be a dry run [AX4.dryrun]", async () => {
    await using recorded = await recordingHost(yields(`await Deno.writeTextFile("new.txt", "x"); yield "written";`));
    const seen: unknown[] = [];
    const dry = await recorded.call({}, { record: false, dryRun: true, onYield: (value) => void seen.push(value) });
    expect([dry.output, seen, dry.dryRun?.changes.map(({ path }) => path)]).toEqual([["written"], ["written"], ["new.txt"]]);
  });
});

describe("bytes and images", () => {
  const bytes = { type: "resource", uri: "output:bytes", mimeType: "application/octet-stream", blob: "AQID" };
  const image = { type: "image", mimeType: "image/png", data: "AQID" };

  it.each([
    ["bytes", "return new Uint8Array([1, 2, 3])", { type: "bytes", bytes: 3 }, bytes],
    ["a view of bytes", "return new Uint8Array([0, 1, 2, 3, 4]).subarray(1, 4)", { type: "bytes", bytes: 3 }, bytes],
    [
      "an image with bytes",
      `return { type: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) }`,
      { type: "image", mimeType: "image/png" },
      image,
    ],
    [
      "an image with base64",
      `return { type: "image", mimeType: "image/png", data: "AQID" }`,
      { type: "image", mimeType: "image/png" },
      image,
    ],
    [
      "a file",
      `return { type: "file", name: "a.csv", mimeType: "text/csv", data: new Uint8Array([1, 2, 3]) }`,
      { type: "file", name: "a.csv", mimeType: "text/csv", bytes: 3 },
      { type: "resource", uri: "output:a.csv", mimeType: "text/csv", blob: "AQID" },
    ],
    [
      "content blocks with bytes",
      `return context.output({ output: { a: 1 }, content: [{ type: "image", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) }] })`,
      { a: 1 },
      image,
    ],
  ])("a plugin returns %s as a content block [AX4.forms]", async (_what, body, output, block) => {
    await using recorded = await recordingHost(`export function run(args, context) { ${body}; }`);
    const result = await recorded.call({}, { record: false });
    expect([result.output, result.content]).toEqual([output, [block]]);
  });

  it("keeps an object that only looks like one, and refuses bytes inside a value [AX4.forms]", async () => {
    await using recorded = await recordingHost(
      `export const run = ({ deep, file }) =>
        deep ? { read: new Uint8Array(1) } : file ? { type: "file", name: "a", data: "x" } : { type: "image", mimeType: "text/plain", data: "x" };`,
    );
    expect((await recorded.call()).output).toEqual({ type: "image", mimeType: "text/plain", data: "x" });
    expect((await recorded.call({ file: true })).output).toEqual({ type: "file", name: "a", data: "x" });
    expect(await recorded.call({ deep: true })).toMatchObject({
      ok: false,
      error: { code: "invalid_output", message: expect.stringContaining("at /read") },
    });
  });
});

describe("a function of the embedding program", () => {
  it("yields, and returns bytes and images, like a plugin [AX4.host]", async () => {
    async function* count({ to }: { to: number }): AsyncGenerator<JsonValue, undefined> {
      for (let n = 1; n <= to; n++) yield await Promise.resolve(n);
      return undefined;
    }
    const tools = [
      functionTool(count, { description: "Counts", inputSchema: { type: "object" }, sideEffects: [] }),
      functionTool(() => new Uint8Array([1, 2, 3]), { name: "bytes", description: "Bytes", sideEffects: [] }),
      functionTool(() => toolOutput({ output: 1, content: [{ type: "text", text: "one" }] }), {
        name: "told",
        description: "Told",
        sideEffects: [],
      }),
    ];
    await using host = await createHost({ config: false, platform: memoryPlatform(), tools });
    const seen: JsonValue[] = [];
    const result = await host.call("count", { to: 2 }, { onYield: (value) => void seen.push(value) });
    expect([result.output, seen]).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect((await host.call("bytes")).content).toEqual([
      { type: "resource", uri: "output:bytes", mimeType: "application/octet-stream", blob: "AQID" },
    ]);
    expect((await host.call("told")).content).toEqual([{ type: "text", text: "one" }]);
  });

  it("closes its generator when the call is cancelled or a value is not JSON [AX4.host]", async () => {
    let closed = 0;
    async function* endless(args: { readonly bad?: boolean }): AsyncGenerator<JsonValue, undefined> {
      try {
        for (;;) yield args.bad === true ? (1n as unknown as JsonValue) : await Promise.resolve(1);
      } finally {
        closed++;
      }
    }
    const tools = [functionTool(endless, { description: "Never ends", inputSchema: { type: "object" }, sideEffects: [] })];
    await using host = await createHost({ config: false, platform: memoryPlatform(), tools });
    const stop = new AbortController();
    expect(await host.call("endless", {}, { signal: stop.signal, onYield: () => stop.abort() })).toMatchObject({
      error: { code: "cancelled" },
    });
    expect(await host.call("endless", { bad: true })).toMatchObject({ error: { code: "invalid_output" } });
    expect(closed).toBe(2);
  });
});
