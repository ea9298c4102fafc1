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
  stripVTControlCharacters("\\u001b[31mred\\u001b[39m"), (() => { function A() {} function B() {} inherits(A, B); return new A() instanceof B; })(),
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
      `import { fileURLToPath, pathToFileURL, URL } from "node:url";
export const run = () => [fileURLToPath("file:///a%20b/c.txt"), pathToFileURL("/a b/?#.txt").href, new URL("x", "https://a/b").href];`,
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

  it("are not loaded for plugins without such imports, and unknown ones are refused with a list of those available [PB3.node] [B7.refused]", async () => {
    expect(await box.load("fs", `import "node:fs";`)).toMatchObject({
      ok: false,
      fault: {
        kind: "import",
        message: expect.stringMatching(
          /^Cannot import "node:fs" from "main.ts": a plugin has no "node:fs" \(it has node:assert, .*node:util\); use what the web and Deno have$/,
        ),
      },
    });
    expect(await box.load("bare", `import "fs";`)).toMatchObject({
      ok: false,
      fault: { message: 'Cannot import "fs" from "main.ts": write "node:fs"' },
    });
  });
});
