import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

let box: TestSandbox;
let names = 0;

beforeAll(() => {
  box = startSandbox();
});
afterAll(async () => {
  expect(box.defects).toEqual([]);
  await box[Symbol.asyncDispose]();
});

/** Runs the code on Node too, with Node's own modules; Node's answer is the expectation. */
async function onBoth(code: string): Promise<{ readonly guest: unknown; readonly node: unknown }> {
  const name = `n${++names}`;
  const loaded = await box.load(name, code);
  const guest = loaded.ok ? outputOf(await box.call(name, "run")) : loaded.fault;
  const module = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)) as { run(): unknown };
  return { guest, node: JSON.parse(JSON.stringify(await module.run())) as unknown };
}

const TRIED = `const tried = (act) => { try { act(); return "ok"; } catch (error) { return error.name + " " + (error.code ?? ""); } };
const triedLater = async (act) => { try { await act(); return "ok"; } catch (error) { return error.name + " " + (error.code ?? ""); } };`;

describe("node: modules", () => {
  it.each([
    [
      "path",
      `import path, { join, resolve, relative, parse, format, normalize, extname, basename, dirname, isAbsolute, sep } from "node:path";
import * as posix from "node:path/posix";
export const run = () => [join("a", "..", "b//c/"), resolve("/x", "y", "../z"), relative("/a/b/c", "/a/d"), parse("/home/u/file.tar.gz"), format({ dir: "/d", base: "b" }),
  normalize("/a/./b/../../.."), extname(".x.y"), basename("/q/a.html", ".html"), dirname("/a/b"), isAbsolute("a"), sep, path.posix.join("x", "y"), posix.join("1", "2")];`,
    ],
    [
      "assert",
      `import assert, { AssertionError, deepStrictEqual } from "node:assert";
${TRIED}
const cyclic = () => { const made = { a: 1 }; made.self = made; return made; };
export const run = async () => [
  tried(() => assert(1)), tried(() => assert(0)), tried(() => assert.equal(1, "1")), tried(() => assert.strictEqual(1, "1")), tried(() => assert.strictEqual(NaN, NaN)),
  tried(() => assert.deepEqual({ a: 1 }, { a: "1" })), tried(() => deepStrictEqual({ a: 1 }, { a: "1" })), tried(() => deepStrictEqual([1, [2, { c: new Date(5) }]], [1, [2, { c: new Date(5) }]])),
  tried(() => deepStrictEqual(new Map([[{ k: 1 }, new Set([[1], [2]])]]), new Map([[{ k: 1 }, new Set([[2], [1]])]]))), tried(() => deepStrictEqual(new Set([1]), new Set([2]))),
  tried(() => deepStrictEqual(/a/g, /a/i)), tried(() => deepStrictEqual(cyclic(), cyclic())), tried(() => deepStrictEqual(new Uint8Array([1]), new Uint8Array([1]))),
  tried(() => deepStrictEqual([0], [-0])), tried(() => deepStrictEqual(Object.create(null), {})), tried(() => deepStrictEqual([1, , 3], [1, undefined, 3])), tried(() => assert.notDeepStrictEqual({}, [])),
  tried(() => assert.throws(() => { throw new TypeError("x"); }, TypeError)), tried(() => assert.throws(() => { throw new TypeError("x"); }, RangeError)), tried(() => assert.throws(() => {})),
  tried(() => assert.throws(() => { throw new Error("abc"); }, /b/)), tried(() => assert.throws(() => { throw new Error("abc"); }, { message: "abd" })), tried(() => assert.throws(() => { throw new Error("abc"); }, { message: /^a/ })),
  await triedLater(() => assert.rejects(Promise.reject(new Error("x")), Error)), await triedLater(() => assert.rejects(async () => {})), await triedLater(() => assert.doesNotReject(async () => {})),
  tried(() => assert.match("abc", /x/)), tried(() => assert.fail("no")), tried(() => assert.ifError(null)), tried(() => assert.strict.equal(1, "1")), tried(() => assert.ok(undefined, "told")),
  new AssertionError({ message: "m", actual: 1, expected: 2, operator: "o" }).code, assert.strict.equal === assert.strictEqual,
];`,
    ],
    [
      "assert/strict",
      `import assert from "node:assert/strict";
${TRIED}
export const run = () => [tried(() => assert.equal(1, "1")), tried(() => assert(true)), tried(() => assert.deepEqual({ a: 1 }, { a: "1" }))];`,
    ],
    [
      "util",
      `import util, { format, promisify, callbackify, isDeepStrictEqual, types, inherits, stripVTControlCharacters } from "node:util";
export const run = async () => [
  format("%s is %d and %i, %f, %j %%", "x", "42", "42.9px", "1.5", { a: 1 }, "rest", 7), format("%s"), format(1, 2), format("%s", 5n), isDeepStrictEqual({ a: [1] }, { a: [1] }),
  await promisify((a, done) => done(null, a + 1))(1), await promisify((done) => done(new Error("failed")))().catch((e) => e.message),
  await new Promise((resolve) => callbackify(async (a) => a * 2)(4, (error, value) => resolve([error, value]))),
  types.isDate(new Date()), types.isRegExp({}), types.isPromise(Promise.resolve()), types.isTypedArray(new Uint8Array()), util.inspect({ a: [1, null], b: "it's", c: 'x', "d-e": '"' }), util.inspect("y"), format("%o", "z"),
  util.inspect({ [util.inspect.custom]: (depth, options, inspect) => options.stylize("S", "special") + inspect({ q: "r" }, { ...options, compact: false }) + depth }),
  util.inspect([[{ [util.inspect.custom]: (depth, options) => depth + " " + options.depth }]]),
  util.debuglog("x").enabled, util.styleText("red", "plain"), stripVTControlCharacters("\\u001b[31mred\\u001b[39m"), (() => { function A() {} function B() {} inherits(A, B); return new A() instanceof B; })(),
];`,
    ],
    [
      "events",
      `import EventEmitter, { once } from "node:events";
export const run = async () => {
  const emitter = new EventEmitter(); const log = [];
  emitter.on("a", (...args) => log.push(args)); emitter.once("a", () => log.push("once")); emitter.prependListener("a", () => log.push("first"));
  emitter.emit("a", 1, 2); emitter.emit("a"); log.push(emitter.listenerCount("a"), emitter.emit("none"));
  try { emitter.emit("error", new Error("unheard")); } catch (error) { log.push(error.message); }
  const later = once(emitter, "b"); emitter.emit("b", "value"); log.push(await later);
  return log;
};`,
    ],
    [
      "buffer",
      `import { Buffer } from "node:buffer";
export const run = () => [Buffer.from("héllo").toString("hex"), Buffer.from("aGk=", "base64").toString(), Buffer.concat([Buffer.from([1]), Buffer.alloc(2)]).length, Buffer.from("abc").equals(Buffer.from("abc")),
  Buffer.byteLength("é"), Buffer.from([1, 2, 3, 4]).readUInt32BE(0), Buffer.isBuffer(new Uint8Array()), Buffer.from("abc").subarray(1).toString(), JSON.stringify(Buffer.from("a"))];`,
    ],
    [
      "url",
      `import { fileURLToPath, format, parse, pathToFileURL, resolve, URL } from "node:url";
export const run = () => [...["http://User:p@Example.com:80/a/b?c=d&e#f", "https://x", "/a?b=c", "a/b#c", "//host/path", "file:///a", "http://[::1]:3/", ""].map((text) => ({ ...parse(text) })),
  { ...parse("http://x/?a=1&a=2", true).query }, format({ protocol: "https", hostname: "x", port: 8, pathname: "a", query: { b: [1, 2] }, hash: "c" }), format(new URL("http://x/y")), format({ pathname: "/a#b", search: "?c" }),
  resolve("http://x/a/b", "../c?d"), resolve("/one/two", "three"), resolve("http://x/", "//y/z"),
  fileURLToPath("file:///a%20b/c.txt"), pathToFileURL("/a b/?#.txt").href, new URL("x", "https://a/b").href];`,
    ],
    [
      "crypto",
      `import crypto, { createHash, createHmac, hash, pbkdf2Sync, randomBytes, randomInt, randomUUID, scryptSync, timingSafeEqual } from "node:crypto";
${TRIED}
const hashed = createHash("sha256"); hashed.update("a"); const copy = hashed.copy();
export const run = () => [
  ...["md5", "sha1", "SHA224", "sha256", "sha384", "sha512", "RSA-SHA256", "ripemd160", "sha3-256"].map((name) => createHash(name).update("héllo").update(new Uint8Array([1, 2])).digest("hex")),
  createHash("sha256").update("6162", "hex").digest("base64"), createHash("md5").digest().length, hashed.digest("hex"), copy.update("b").digest("base64url"), tried(() => hashed.digest()),
  createHmac("sha256", "key").update("text").digest("hex"), createHmac("sha512", Buffer.from("key")).update("text").digest("hex"), hash("sha1", "x"), pbkdf2Sync("p", "s", 10, 16, "sha512").toString("hex"),
  scryptSync("p", "s", 16, { N: 16 }).toString("hex"), randomBytes(70000).length, randomUUID().length, randomInt(5) < 5, randomInt(3, 4), tried(() => randomInt(4, 4)),
  timingSafeEqual(Buffer.from("ab"), Buffer.from("ab")), timingSafeEqual(Buffer.from("ab"), Buffer.from("ac")), tried(() => timingSafeEqual(Buffer.from("a"), Buffer.from("ab"))), crypto.createHash === createHash,
];`.replace(/^/, `import { Buffer } from "node:buffer";\n`),
    ],
    [
      "zlib",
      `import { deflateRawSync, deflateSync, gunzip, gunzipSync, gzip, gzipSync, inflateRawSync, inflateSync, unzipSync } from "node:zlib";
const later = (act, input) => new Promise((resolve) => act(input, (error, bytes) => resolve(error === null ? bytes.toString() : "failed")));
export const run = async () => [gunzipSync(gzipSync("a".repeat(1000))).toString().length, inflateSync(deflateSync("b")).toString(), inflateRawSync(deflateRawSync("c", { level: 9 })).toString(),
  unzipSync(gzipSync("d")).toString(), unzipSync(deflateSync("e")).toString(), await later(gunzip, gzipSync("f")), await later(gunzip, new Uint8Array([1, 2, 3])),
  await new Promise((resolve) => gzip("g", { level: 1 }, (error, bytes) => resolve(gunzipSync(bytes).toString())))];`,
    ],
    [
      "querystring",
      `import querystring, { escape, parse, stringify, unescape } from "node:querystring";
export const run = () => [parse("a=1&b=x%20y&a=2&c&=d&e=%zz+f&&"), parse("a:1;b:2", ";", ":"), parse("a=1&b=2", undefined, undefined, { maxKeys: 1 }), stringify({ a: [1, "x y"], b: true, c: null, d: undefined, "é": "&=" }), stringify({ a: 1 }, ";", ":"),
  escape("a b!'()*ü"), unescape("%41%"), querystring.encode({ a: 1n }), querystring.decode("a=b"), stringify("text"), parse("")];`,
    ],
    [
      "stream",
      `import Stream, { PassThrough, pipeline, Readable, Transform, Writable } from "node:stream";
import { finished, pipeline as piped } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import { EventEmitter } from "node:events";
import { Buffer } from "node:buffer";
export const run = async () => {
  const log = [];
  const upper = () => new Transform({ transform(chunk, encoding, done) { done(null, chunk.toString().toUpperCase()); } });
  await piped(Readable.from(["a", "b"]), upper(), new Writable({ write(chunk, encoding, done) { log.push(chunk.toString()); done(); } }));
  for await (const chunk of new PassThrough().end("c")) log.push(chunk.toString());
  await new Promise((resolve) => pipeline(Readable.from(["d"]), upper(), (error) => { log.push(error === undefined); resolve(); }).resume());
  class Lines extends Readable { _read() { this.push("e"); this.push(null); } }
  const lines = new Lines(); lines.on("data", (chunk) => log.push(chunk.toString())); await finished(lines);
  const failing = new Readable({ read() { this.destroy(new Error("broken")); } });
  await finished(failing.resume()).catch((error) => log.push(error.message));
  const decoder = new StringDecoder("utf8");
  log.push(decoder.write(Buffer.from([0xc3])) + decoder.write(Buffer.from([0xa9])) + decoder.end());
  return [log, lines instanceof EventEmitter, new PassThrough() instanceof Stream];
};`,
    ],
    [
      "timers, types, channels",
      `import { setImmediate, clearImmediate } from "node:timers";
import { setTimeout as wait } from "node:timers/promises";
import { isDate } from "node:util/types";
import { channel, tracingChannel } from "node:diagnostics_channel";
import { performance } from "node:perf_hooks";
import { isatty } from "node:tty";
import { ReadableStream } from "node:stream/web";
export const run = async () => {
  const log = [];
  clearImmediate(setImmediate(() => log.push("cleared")));
  log.push(await new Promise((resolve) => setImmediate(resolve, "immediate")), await wait(1, "waited"), isDate(new Date()), isatty(99), typeof performance.now(), typeof ReadableStream);
  log.push(channel("x").hasSubscribers, tracingChannel("y").traceSync((a) => a + 1, {}, undefined, 1));
  return log;
};`,
    ],
  ])("%s returns the same as Node's own [PB3.node]", async (_name, code) => {
    const { guest, node } = await onBoth(code);
    expect(guest).toEqual(node);
  });

  it("process is a stub with the sandbox's virtual values, and not a global [PB3.node]", async () => {
    await box.load(
      "process",
      `import process, { cwd, env } from "node:process";
export const run = () => [process.platform, process.argv, cwd(), typeof globalThis.process, env.HOME ?? null, "HOME" in env, process.hrtime().length,
  (() => { try { process.exit(1); } catch (error) { return error.name; } })(), typeof process.hrtime.bigint()];`,
    );
    expect(outputOf(await box.call("process", "run"))).toEqual([
      "linux",
      [],
      "/work",
      "undefined",
      null,
      false,
      2,
      "NotSupported",
      "bigint",
    ]);
  });

  it("export every name of Node's own, and what a plugin does not have throws when it is called [AX2.names] [PB3.node]", async () => {
    const modules = ["buffer", "crypto", "events", "os", "path", "process", "stream", "url", "util", "zlib"];
    const names = await Promise.all(
      modules.map(async (module) => Object.keys((await import(`node:${module}`)) as object).filter((name) => /^[\w$]+$/.test(name))),
    );
    const code = modules.map(
      (module, at) => `import { ${names[at]?.map((name) => `${name} as ${module}_${name}`).join(", ") ?? ""} } from "node:${module}";`,
    );
    const loaded = await box.load(
      "names",
      `${code.join("\n")}\nclass Own extends zlib_Gzip {}\nexport const run = () => { try { crypto_createCipheriv("a"); } catch (error) { return [error.message, typeof Own, typeof process_binding]; } };`,
    );
    expect(loaded).toMatchObject({ ok: true });
    expect(outputOf(await box.call("names", "run"))).toEqual([
      "A plugin's node:crypto has no createCipheriv(): use web or Deno APIs",
      "function",
      "undefined",
    ]);
  });

  it("process keeps what a package sets in its environment, for itself only [PB3.node]", async () => {
    await box.load(
      "environment",
      `import process from "node:process";
export const run = () => { const before = process.env.MADE ?? null; process.env.MADE = 5; delete process.env.GONE; process.title = "x"; process.stdout.write("to the log\\n"); return [before, process.env.MADE, Object.keys(process.env), process.stdout.isTTY]; };`,
    );
    const answer = [null, "5", ["MADE"], false];
    expect([outputOf(await box.call("environment", "run")), outputOf(await box.call("environment", "run"))]).toEqual([answer, answer]);
  });

  it("are not loaded for plugins without such imports, and unknown ones are refused with a list of those available [PB3.node] [B7.refused]", async () => {
    expect(await box.load("fs", `import "node:fs";`)).toMatchObject({
      ok: false,
      fault: {
        kind: "import",
        message: expect.stringMatching(
          /^Cannot import "node:fs" from "main.ts": a plugin has no "node:fs" \(it has node:assert, .*node:zlib\); use what the web and Deno have$/,
        ),
      },
    });
    expect(await box.load("bare", `import "fs";`)).toMatchObject({
      ok: false,
      fault: { message: 'Cannot import "fs" from "main.ts": write "node:fs"' },
    });
  });
});
