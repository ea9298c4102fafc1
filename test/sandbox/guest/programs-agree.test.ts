import { describe, expect, it } from "vitest";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { testCall } from "../../support/bridge-context.ts";
import { outputOf, startSandbox } from "../../support/sandbox.ts";
import { runBoth } from "./programs.ts";

const OPEN_FILES = [
  `const f = await Deno.open("a.txt"); const b = new Uint8Array(5); const n = await f.read(b); const p = await f.seek(0, Deno.SeekMode.Current); f.close(); return [n, new TextDecoder().decode(b), p]`,
  `const f = await Deno.open("a.txt"); f.close(); return f.read(new Uint8Array(1))`,
  `const f = await Deno.open("a.txt"); f.close(); f.close()`,
  `return Deno.open("missing.txt")`,
  `return Deno.open("a.txt", { createNew: true, write: true })`,
  `return Deno.open("dir", { write: true })`,
  `return Deno.open("a.txt", {})`,
  `return Deno.open("a.txt", { truncate: true })`,
  `const f = await Deno.open("new.txt", { create: true, write: true, read: true }); await f.write(new TextEncoder().encode("abcdef")); await f.seek(-3, Deno.SeekMode.End); const n = await f.read(new Uint8Array(10)); await f.truncate(2); const { size } = await f.stat(); const at = await f.seek(0, 1); f.close(); return [n, size, at, await Deno.readTextFile("new.txt")]`,
  `const f = await Deno.open("log.txt", { create: true, append: true }); await f.write(Uint8Array.of(65)); await f.seek(0, 0); await f.write(Uint8Array.of(66)); f.close(); return Deno.readTextFile("log.txt")`,
  `const f = await Deno.open("a.txt"); await f.seek(0, 7)`,
  `const f = await Deno.open("a.txt"); const n = await f.read(new Uint8Array(0)); f.close(); return n`,
  `{ using f = await Deno.open("a.txt"); globalThis.left = f; } return left.readSync(new Uint8Array(1))`,
  `const f = await Deno.open("big.bin"); let n = 0; for await (const chunk of f.readable) n += chunk.length; try { f.close(); } catch (e) { return [n, e.name] }`,
  `const f = await Deno.open("a.txt"); const r = f.readable.getReader(); await r.read(); await r.cancel(); f.close()`,
  `const f = await Deno.create("copy.bin"); await (await Deno.open("big.bin")).readable.pipeTo(f.writable); return (await Deno.stat("copy.bin")).size`,
];

const STREAMS_TO_FILES = [
  `await Deno.writeFile("s1", ReadableStream.from([Uint8Array.of(1, 2), Uint8Array.of(3)])); return Deno.readFile("s1")`,
  `await Deno.writeTextFile("s2", ReadableStream.from(["a", "é"])); return Deno.readTextFile("s2")`,
  `for (const b of [9, 8]) await Deno.writeFile("s3", ReadableStream.from([Uint8Array.of(b)]), { append: true }); return Deno.readFile("s3")`,
  `await Deno.writeTextFile("s4", "much longer"); await Deno.writeTextFile("s4", ReadableStream.from(["x"])); return Deno.readTextFile("s4")`,
  `return Deno.writeFile("a.txt", ReadableStream.from([Uint8Array.of(9)]), { createNew: true })`,
  `return Deno.writeFile("none", ReadableStream.from([Uint8Array.of(9)]), { create: false })`,
  `return Deno.writeFile("s5", ReadableStream.from([]), { signal: AbortSignal.abort("before") })`,
  `const c = new AbortController(); return Deno.writeFile("s6", new ReadableStream({ pull(k) { k.enqueue(Uint8Array.of(1)); c.abort(new Error("mine")) } }), { signal: c.signal })`,
  `let why; const c = new AbortController(); await Deno.writeFile("s7", new ReadableStream({ pull(k) { k.enqueue(Uint8Array.of(1)); c.abort("mine") }, cancel(r) { why = r } }), { signal: c.signal }).catch(() => {}); return why`,
  `return Deno.writeFile("s8", new ReadableStream({ pull(k) { k.error(new Error("source")) } }))`,
  `const s = new Response("body").body; await Deno.writeFile("s9", s); return [s.locked, await Deno.readTextFile("s9")]`,
];

const FILE_URLS = [
  `return (await fetch(new URL("file://" + Deno.cwd() + "/a.txt"))).text()`,
  `const r = await fetch("file://" + Deno.cwd() + "/a.txt"); return [r.status, r.statusText, r.ok, [...r.headers], r.type, r.url.endsWith("/a.txt"), r.redirected]`,
  `return fetch("file://" + Deno.cwd() + "/missing")`,
  `return fetch("file://" + Deno.cwd() + "/a.txt", { method: "POST" })`,
  `return fetch("file://" + Deno.cwd() + "/a.txt", { method: "HEAD" })`,
  `return fetch("file://" + Deno.cwd() + "/a.txt", { signal: AbortSignal.abort("why") })`,
  `const e = await fetch("file:///etc/passwd").catch((e) => e); return [e.constructor.name, e.message.split(",")[0]]`,
  `const e = await fetch("file:///etc/../etc/%70asswd").catch((e) => e); return [e.constructor.name, e.message.split(",")[0]]`,
];

/** Deno removes the slash if only folders are granted, as for a plugin; if everything is granted, it does not. */
const ENDS_IN_SLASH = [
  `await Deno.remove("a.txt/"); return Deno.stat("a.txt")`,
  `await Deno.writeTextFile("s.txt//", "x"); return Deno.readTextFile("s.txt/.")`,
  `return Promise.all(["dir/", "a.txt/x", "missing/"].map((path) => Deno.remove(path).catch((e) => [e.name, e.code])))`,
  `await Deno.rename("big.bin/", "moved/"); return [(await Deno.stat("moved")).size, await Deno.realPath("moved/")]`,
  `return (await Deno.lstat("dir/.")).isDirectory`,
];

const BODIES = [
  `const r = new Response(new ReadableStream({ start(c) { c.enqueue(Uint8Array.of(1, 2)); c.close() } })); const d = r.clone(); return [await r.bytes(), await d.bytes(), r.bodyUsed, d.bodyUsed]`,
  `const r = new Response("x"); await r.text(); r.clone()`,
  `const r = new Response("x"); await r.text(); return r.json()`,
  `return new Response("x", { status: 204 })`,
  `return Response.json(undefined)`,
  `return new Headers([["set-cookie", "1"], ["a", "b"], ["set-cookie", "2"], ["A", "c"]])`,
  `const f = new FormData(); f.append("a", "b\\r\\nc"); f.append("f", new File(["x"], "n\\"a.txt")); const t = await new Response(f).text(); return t.replaceAll(t.slice(0, t.indexOf("\\r")), "BOUNDARY")`,
  `const b = new Blob(["hello ", "world", Uint8Array.of(33)], { type: "Text/Plain" }); return [b.size, b.type, await b.slice(-6, -1).text(), await b.slice(5, 2).text(), b.slice(1e10).size]`,
  `const s = AbortSignal.timeout(1); await new Promise((done) => (s.onabort = done)); return [s.reason.name, s.reason.message]`,
  `const c = new AbortController(); const p = ReadableStream.from((async function* () { for (;;) { yield 1; await new Promise((r) => setTimeout(r, 1)) } })()).pipeTo(new WritableStream(), { signal: c.signal }); c.abort("enough"); return p`,
  `return [new MessageEvent("a", { data: 1 }).data, crypto.getRandomValues.length]`,
  `return crypto.getRandomValues(new Uint8Array(65537))`,
];

/** Algorithms that both Node and Deno support. */
const SUPPORTED = [
  `return [["digest", "SHA-256"], ["digest", "nope"], ["nope", "SHA-256"], ["sign", "Ed25519"], ["sign", "AES-GCM"]].map((given) => SubtleCrypto.supports(...given))`,
  `return [12, undefined].map((n) => SubtleCrypto.supports("encrypt", { name: "AES-GCM", iv: new Uint8Array(n ?? 16) }))`,
  `return [128, 256, 5].map((length) => SubtleCrypto.supports("generateKey", { name: "AES-GCM", length }))`,
  `return [SubtleCrypto.supports.length, SubtleCrypto.supports.name]`,
];

describe("programs in the sandbox and in Deno", () => {
  it.each([
    ["open files [PB2.file]", OPEN_FILES],
    ["streams that become files [PB1.files, PB2.streams]", STREAMS_TO_FILES],
    ["paths that end in a slash [PB1.files]", ENDS_IN_SLASH],
    ["fetch of files [PB2.fetch, C10]", FILE_URLS],
    ["what crypto supports [PB2.subtle]", SUPPORTED],
    ["bodies, headers and blobs [PB2.fetch]", BODIES],
  ])("return the same: %s", { timeout: 60_000 }, async (_what, bodies) => {
    const { deno, guest } = await runBoth(bodies);
    expect(guest).toEqual(deno);
  });
});

describe("fetch of a plugin's own files", () => {
  it("needs no grant, during the load and in a call, and reaches no other files [PB2.fetch, B9.own]", async () => {
    await using box = startSandbox({ maximumWorkers: 1 });
    const source = `
      const own = (path) => fetch(new URL(path, import.meta.url)).then((r) => r.text(), (e) => e.name);
      const early = await own("./data.txt");
      export const tool = async () => [early, await own("./data.txt"), await own("./missing"), await own("../../etc/hostname"), await own("/etc/hostname")];`;
    const files = { "main.js": source, "data.txt": "mine" };
    expect(await box.load("own", files, ["tool"])).toMatchObject({ ok: true });
    const ownFiles = new Map(Object.entries(files).map(([name, text]) => [name, new TextEncoder().encode(text)]));
    const call = testCall({ platform: memoryPlatform(), cwd: "/ws", permissions: {}, ownFiles });
    const outcome = await box.call("own", "tool", {
      module: "main.js",
      hostCall: ({ name, args, bytes }) => call.answer(name, args, bytes),
    });
    expect(outputOf(outcome)).toEqual(["mine", "mine", "TypeError", "NotCapable", "NotCapable"]);
    expect(call.acts.filter(({ decision }) => decision === "granted")).toEqual([]);
  });
});
