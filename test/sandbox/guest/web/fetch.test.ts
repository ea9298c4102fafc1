import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MemoryNetworkOptions } from "../../../../host/platform/memory/memory-network.ts";
import type { Permissions } from "../../../../manifests/mod.ts";
import { type TestCall, testCall } from "../../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";
import { outputOf, startSandbox, type TestSandbox } from "../../../support/sandbox.ts";

let started: TestSandbox;
beforeAll(() => (started = startSandbox()));
afterAll(async () => {
  expect(started.defects).toEqual([]);
  await started[Symbol.asyncDispose]();
});

const PUBLIC = { "api.test": ["93.184.215.14"] };

interface Wish {
  readonly net?: Permissions["net"];
  readonly network?: MemoryNetworkOptions;
}

let loaded = 0;

/** Runs `body`, the statements of an async function, in the sandbox and returns its result. */
async function run(body: string, { net = ["api.test"], network = {} }: Wish = {}): Promise<{ output: unknown; call: TestCall }> {
  const name = `p${++loaded}`;
  expect(await started.load(name, `export async function run() { ${body} }`, ["run"])).toMatchObject({ ok: true });
  const platform = memoryPlatform({}, { network: { names: PUBLIC, ...network } });
  const call = testCall({ platform, cwd: WORKSPACE, permissions: { net } });
  const outcome = await started.call(name, "run", { hostCall: ({ name: operation, args, bytes }) => call.answer(operation, args, bytes) });
  call.context.exchanges.closeAll();
  return { output: outputOf(outcome), call };
}

/** A response that repeats the request. */
const ECHO: MemoryNetworkOptions = {
  serve: ({ url, method, fields, body }) => ({
    fields: [
      ["content-type", "application/json"],
      ["x-a", "1"],
      ["x-a", "2"],
    ],
    body: JSON.stringify({ url, method, fields: Object.fromEntries(fields), body: new TextDecoder().decode(body) }),
  }),
};

const FAILURE = `(error) => [error.name, error.message, error.cause?.message]`;

describe("fetch in the sandbox", () => {
  it("returns a Response like Deno [PB2.fetch]", async () => {
    const { output } = await run(
      `const r = await fetch("https://API.test:443/a/../b?c#d"); const body = await r.json();
       return [r.ok, r.status, r.type, r.url, r.redirected, [...r.headers], r.bodyUsed, body.url, body.method, body.fields];`,
      { network: ECHO },
    );
    expect(output).toEqual([
      true,
      200,
      "basic",
      "https://api.test/b?c",
      false,
      [
        ["content-type", "application/json"],
        ["x-a", "1, 2"],
      ],
      true,
      "https://api.test/b?c",
      "GET",
      { accept: "*/*", "accept-language": "*", "accept-encoding": "gzip, deflate, br, zstd", "user-agent": "bascule/0.1" },
    ]);
  });

  it.each([
    [`"text"`, "text", "text/plain;charset=UTF-8"],
    [`new URLSearchParams({ a: "b c" })`, "a=b+c", "application/x-www-form-urlencoded;charset=UTF-8"],
    [`new Uint8Array([104, 105])`, "hi", undefined],
    [`new Blob(["x"], { type: "a/b" })`, "x", "a/b"],
    [`ReadableStream.from([new Uint8Array([104]), new Uint8Array([105])])`, "hi", undefined],
    [`new ReadableStream({ type: "bytes", pull(c) { c.enqueue(new Uint8Array([33])); c.close() } })`, "!", undefined],
  ])("sends %s as a body [PB2.fetch]", async (body, sent, type) => {
    const { output } = await run(
      `return (await fetch("http://api.test/", { method: "POST", body: ${body}, headers: { b: "c" } })).json();`,
      {
        network: ECHO,
      },
    );
    expect(output).toMatchObject({ method: "POST", body: sent, fields: { b: "c", ...(type !== undefined && { "content-type": type }) } });
  });

  it("reads a large body in pieces, also as a stream [PB2.fetch]", async () => {
    const big = "x".repeat(1_000_000);
    const { output } = await run(
      `const text = await (await fetch("http://api.test/")).text();
       const sizes = []; for await (const piece of (await fetch("http://api.test/")).body) sizes.push(piece.length);
       const reader = (await fetch("http://api.test/")).body.getReader({ mode: "byob" });
       const { value } = await reader.read(new Uint8Array(10));
       await reader.cancel();
       return [text.length, sizes.length > 1, sizes.reduce((a, b) => a + b), value.length];`,
      { network: { serve: () => ({ body: big }) } },
    );
    expect(output).toEqual([1_000_000, true, 1_000_000, 10]);
  });

  it("clones, and reads a body once [PB2.fetch]", async () => {
    const { output } = await run(
      `const r = await fetch("http://api.test/"); const c = r.clone();
       return [await r.text(), await c.text(), await r.text().catch((e) => e.name)];`,
      { network: { serve: () => ({ body: "once" }) } },
    );
    expect(output).toEqual(["once", "once", "TypeError"]);
  });

  it("throws NotCapable with Deno's message and the smallest grant [C10, PA6]", async () => {
    const { output } = await run(
      `return fetch("https://example.com/").catch((e) => [e instanceof Deno.errors.NotCapable, e.message, /main\\.ts/.test(e.stack)]);`,
    );
    expect(output).toEqual([
      true,
      `Requires net access to "example.com:443", grant it with: bascule grant words --allow-net=example.com:443`,
      true,
    ]);
  });

  it("throws TypeErrors for network failures [C10]", async () => {
    const { output } = await run(
      `return Promise.all([fetch("http://gone.test/x").catch(${FAILURE}), fetch("ftp://api.test/").catch(${FAILURE}), fetch("http://api.test/", { method: "POST", body: ReadableStream.from(["text"]) }).catch(${FAILURE})]);`,
      { net: ["api.test", "gone.test"], network: ECHO },
    );
    expect(output).toEqual([
      [
        "TypeError",
        "fetch failed",
        "error sending request for url (http://gone.test/x): client error (Connect): dns error: failed to lookup address information: Name or service not known",
      ],
      ["TypeError", "Url scheme 'ftp' not supported", null],
      ["TypeError", "fetch failed", "expected typed ArrayBufferView"],
    ]);
  });

  it("stops at an abort, before and after the head, with the reason [T3]", async () => {
    const serve: MemoryNetworkOptions["serve"] = ({ url }) =>
      url.endsWith("/slow") ? new Promise(() => undefined) : { body: "x".repeat(200_000) };
    const { output, call } = await run(
      `const early = new AbortController(); const pending = fetch("http://api.test/slow", { signal: early.signal }).catch((e) => e);
       early.abort("mine");
       const late = new AbortController(); const r = await fetch("http://api.test/", { signal: late.signal });
       const reader = r.body.getReader(); await reader.read();
       late.abort();
       return [await pending, await reader.read().catch((e) => e.name), await fetch("http://api.test/", { signal: AbortSignal.abort("before") }).catch((e) => e)];`,
      { network: { serve } },
    );
    expect(output).toEqual(["mine", "AbortError", "before"]);
    expect(call.context.exchanges.find(1)).toBeUndefined();
  });

  it("rejects like Deno when a body's stream throws [PB2.fetch]", async () => {
    const { output } = await run(
      `return fetch("http://api.test/", { method: "POST", body: new ReadableStream({ pull() { throw new RangeError("mine") } }) }).catch((e) => [e.name, e.message, String(e.cause)]);`,
      { network: ECHO },
    );
    expect(output).toEqual(["TypeError", "fetch failed", "RangeError: mine"]);
  });

  it("may leave a GET unfinished, but not a POST [B4]", async () => {
    const network: MemoryNetworkOptions = { serve: () => new Promise(() => undefined) };
    expect((await run(`fetch("http://api.test/"); return 1;`, { network })).output).toBe(1);
    expect((await run(`fetch("http://api.test/", { method: "POST" }); return 1;`, { network })).output).toMatchObject({
      kind: "unfinished",
      operations: ["net.fetch"],
    });
  });

  it("works after a program changed the methods that it reads with [B5]", async () => {
    const { output } = await run(
      `Object.defineProperty(Object.prototype, "failed", { value: "x" }); Object.defineProperty(Object.prototype, "bytes", { value: 1 });
       Object.defineProperty(AbortSignal.prototype, "reason", { value: "forged" }); Headers.prototype.get = () => "forged";
       const r = await fetch("http://api.test/"); return (await r.json()).method;`,
      { network: ECHO },
    );
    expect(output).toBe("GET");
  });

  it("is unavailable while the plugin loads [B9]", async () => {
    expect(await started.load("early", `await fetch("http://api.test/"); export function run() {}`, ["run"])).toMatchObject({
      ok: false,
      fault: {
        message: expect.stringContaining("Fetching is not available while the plugin loads; move it into the tool function") as string,
      },
    });
  });
});
