import { describe, expect, it } from "vitest";
import { evaluateInGuest, startGuest } from "./engine.ts";
import { askBoth } from "./oracle.ts";

const CHANNELS = [
  `new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); const seen = []; port2.onmessage = (e) => { seen.push(e.data); if (seen.length === 2) { port1.close(); resolve(seen) } }; port1.postMessage({ a: [1] }); port1.postMessage("two") })`,
  `new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); const b = new ArrayBuffer(4); port2.onmessage = (e) => { port2.close(); resolve([e.data.byteLength, b.byteLength]) }; port1.postMessage(b, [b]) })`,
  `new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); const other = new MessageChannel(); port2.onmessage = (e) => { e.data.p.postMessage("hi"); }; other.port1.onmessage = (e) => { port1.close(); other.port1.close(); resolve(e.data) }; port1.postMessage({ p: other.port2 }, { transfer: [other.port2] }) })`,
  `new MessageChannel().port1.postMessage(() => {})`,
  `(() => { const { port1 } = new MessageChannel(); port1.postMessage(1, [port1]) })()`,
  `structuredClone(new MessageChannel().port1)`,
  `new MessagePort()`,
];

const BYTES = [
  `[new Uint8Array([1, 2, 255]).toBase64(), new Uint8Array([251, 255]).toBase64({ alphabet: "base64url", omitPadding: true }), new Uint8Array([0, 171]).toHex()]`,
  `[Uint8Array.fromBase64("AQL/"), Uint8Array.fromBase64(" A Q = = "), Uint8Array.fromBase64("AQ"), Uint8Array.fromHex("00aBff")]`,
  `Uint8Array.fromBase64("AR==", { lastChunkHandling: "strict" })`,
  `Uint8Array.fromBase64("AQ", { lastChunkHandling: "strict" })`,
  `Uint8Array.fromBase64("AQIDBA", { lastChunkHandling: "stop-before-partial" })`,
  `Uint8Array.fromBase64("A")`,
  `Uint8Array.fromBase64("A*==")`,
  `Uint8Array.fromBase64("-_8=", { alphabet: "base64url" })`,
  `Uint8Array.fromBase64("AQ==", { alphabet: "x" })`,
  `Uint8Array.fromHex("abc")`,
  `Uint8Array.fromHex("zz")`,
  `Uint8Array.fromBase64(1)`,
  `(() => { const b = new Uint8Array(4); return [b.setFromBase64("AQIDBAUG"), b.setFromHex("ffee"), b] })()`,
  `(() => { const b = new Uint8Array(8); try { b.setFromBase64("AQIDBA*") } catch (e) { return [e.name, b] } })()`,
  `Uint8Array.prototype.toHex.call([1])`,
];

const DISPOSABLES = [
  `(() => { const log = []; const s = new DisposableStack(); s.defer(() => log.push("d")); s.adopt(5, (v) => log.push(v)); s.use({ [Symbol.dispose]() { log.push("u") } }); s.dispose(); s.dispose(); return [log, s.disposed] })()`,
  `(() => { const s = new DisposableStack(); s.defer(() => { throw new Error("a") }); s.defer(() => { throw new Error("b") }); try { s.dispose() } catch (e) { return [e instanceof SuppressedError, e.error.message, e.suppressed.message] } })()`,
  `(() => { const s = new DisposableStack(); const m = s.move(); return [s.disposed, m.disposed] })()`,
  `new DisposableStack().use({})`,
  `(() => { const s = new DisposableStack(); s.dispose(); s.defer(() => {}) })()`,
  `(async () => { const log = []; const s = new AsyncDisposableStack(); s.defer(async () => { await null; log.push(1) }); s.use({ async [Symbol.asyncDispose]() { log.push(2) } }); s.use({ [Symbol.dispose]() { log.push(3) } }); await s.disposeAsync(); return [log, s.disposed] })()`,
  `[new SuppressedError(1, 2, "m").message, SuppressedError(1, 2).error, SuppressedError.length, Object.keys(new SuppressedError(1, 2))]`,
];

const PATTERNS = [
  `new URLPattern({ pathname: "/users/:id" }).exec("http://a/users/7").pathname`,
  `[new URLPattern("https://*.example.com/*").test("https://a.example.com/b"), new URLPattern({ protocol: "http{s}?" }).test("ftp://a")]`,
  `new URLPattern("/a/:b?", "http://x").exec("http://x/a").pathname.groups`,
  `new URLPattern({ pathname: "/(\\\\d+)" }).hasRegExpGroups`,
  `new URLPattern({ pathname: "/A" }, { ignoreCase: true }).test("http://x/a")`,
  `new URLPattern({ pathname: "(" })`,
  `new URLPattern("relative")`,
  `new URLPattern({ hostname: "a" })`,
];

describe("MessageChannel", () => {
  it("delivers clones, moves buffers and ports, and refuses values that cannot be cloned [PB2.messages]", async () => {
    const { deno, guest } = await askBoth(CHANNELS);
    expect(guest).toEqual(deno);
  });

  it("does not use up a call's timers with many messages [PB2.messages] [B3]", async () => {
    const guest = await startGuest({
      source: `export const tool = () => new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); let n = 0; port2.onmessage = () => { if (++n === 3000) resolve(n) }; for (let i = 0; i < 3000; i++) port1.postMessage(i) })`,
    });
    expect(guest.output({ context: { limits: { timers: 2 } } })).toBe(3_000);
    guest.dispose();
  });
});

describe("Uint8Array as text", () => {
  it("reads and writes base64 and hex with every option [PB2.base64]", async () => {
    const { deno, guest } = await askBoth(BYTES);
    expect(guest).toEqual(deno);
  });

  it("accepts any text and returns bytes or an error [PB2.base64] [B5]", async () => {
    const long = `(() => { const b = new Uint8Array(100_000).fill(9); return Uint8Array.fromBase64(b.toBase64()).length })()`;
    expect(await evaluateInGuest(long)).toBe(100_000);
    expect(await evaluateInGuest(`(() => { try { Uint8Array.fromBase64("A\\0\\ud800") } catch (e) { return e.name } })()`)).toBe(
      "SyntaxError",
    );
  });
});

describe("disposables", () => {
  it("are disposed of once, in reverse order, and keep every error [PB2.disposable]", async () => {
    const { deno, guest } = await askBoth(DISPOSABLES);
    expect(guest).toEqual(deno);
  });
});

describe("URLPattern", () => {
  it("matches as in Deno [PB2.url-pattern]", async () => {
    const { deno, guest } = await askBoth(PATTERNS);
    expect(guest).toEqual(deno);
  });
});
