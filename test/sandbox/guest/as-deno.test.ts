import { describe, expect, it } from "vitest";
import { evaluateInGuest } from "./engine.ts";

/** Returns each line's result or error; the same program gives the same under Deno 2.9. */
const caught = (expressions: readonly string[]): string =>
  `[${expressions.map((expression) => `(() => { try { return ${expression}; } catch (error) { return error.name + ": " + error.message; } })()`).join(",")}]`;

describe("JSON", () => {
  it("reports errors with V8's messages [PB1.json]", async () => {
    const texts = ["truu", "{foo", "", "[1,]", '{"a":1,}', '"abc', "1 2"];
    expect(await evaluateInGuest(caught(texts.map((text) => `JSON.parse(${JSON.stringify(text)})`)))).toEqual([
      `SyntaxError: Unexpected token 'u', "truu" is not valid JSON`,
      "SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
      "SyntaxError: Unexpected end of JSON input",
      `SyntaxError: Unexpected token ']', "[1,]" is not valid JSON`,
      "SyntaxError: Expected double-quoted property name in JSON at position 7 (line 1 column 8)",
      "SyntaxError: Unterminated string in JSON at position 4 (line 1 column 5)",
      "SyntaxError: Unexpected non-whitespace character after JSON at position 2 (line 1 column 3)",
    ]);
  });

  it("keeps the errors of a reviver and of toJSON, and names values that cannot be written [PB1.json]", async () => {
    expect(
      await evaluateInGuest(
        caught([
          `JSON.parse("[1]", () => { throw new SyntaxError("mine"); })`,
          `JSON.parse("[1,2]", (key, value) => (key === "" ? value : value + 1))`,
          `JSON.stringify({ toJSON() { throw new TypeError("its own"); } })`,
          `(() => { const loop = {}; loop.loop = loop; JSON.stringify(loop); })()`,
          `JSON.stringify({ a: 1n })`,
          `JSON.stringify({ b: [1, { c: 2 }] }, null, 1)`,
          `[JSON.parse.name, JSON.parse.length, JSON.stringify.name, JSON.stringify.length].join()`,
        ]),
      ),
    ).toEqual([
      "SyntaxError: mine",
      [2, 3],
      "TypeError: its own",
      "TypeError: Converting circular structure to JSON",
      "TypeError: Do not know how to serialize a BigInt",
      '{\n "b": [\n  1,\n  {\n   "c": 2\n  }\n ]\n}',
      "parse,2,stringify,3",
    ]);
  });
});

describe("WeakRef", () => {
  it("keeps its target until the job ends [B6.weakref]", async () => {
    expect(
      await evaluateInGuest(`(() => {
        const ref = new WeakRef({ here: 1 });
        class Mine extends WeakRef {}
        const own = new Mine({ here: 2 });
        return [ref.deref()?.here, own.deref()?.here, ref instanceof WeakRef, own instanceof Mine, ref.constructor === WeakRef, WeakRef.length];
      })()`),
    ).toEqual([1, 2, true, true, true, 1]);
  });
});

describe("Atomics", () => {
  it("works on integers of every size [B6.atomics]", async () => {
    expect(
      await evaluateInGuest(`(() => {
        const bytes = new Uint8Array([250, 7]);
        const big = new BigInt64Array([5n]);
        return [
          Atomics.add(bytes, 0, 10), bytes[0], Atomics.sub(bytes, 0, 5), bytes[0], Atomics.exchange(bytes, 1, 300), bytes[1],
          Atomics.compareExchange(bytes, 1, 300, 1), bytes[1], Atomics.compareExchange(bytes, 1, 9, 2), bytes[1],
          Atomics.store(bytes, 0, -1.5), Atomics.load(bytes, 0), Atomics.or(bytes, 1, 6), Atomics.xor(bytes, 1, 1), Atomics.and(bytes, 1, 4), bytes[1],
          String(Atomics.add(big, 0, 3n)), String(big[0]), Atomics.isLockFree(4), Atomics.notify(new Int32Array(1), 0), String(Atomics),
        ];
      })()`),
    ).toEqual([250, 4, 4, 255, 7, 44, 44, 1, 1, 1, -1, 255, 1, 7, 6, 4, "5", "8", true, 0, "[object Atomics]"]);
  });

  it("lets time pass, and refuses other values than integer arrays and indexes out of bounds [B6.atomics]", async () => {
    expect(
      await evaluateInGuest(
        caught([
          "Atomics.wait(new Int32Array(1), 0, 1, 5)",
          "Atomics.wait(new Int32Array(1), 0, 0, 0)",
          "Atomics.wait(new Int32Array(1), 0, 0)",
          "Atomics.load(new Int32Array(1), 1)",
          "Atomics.load(new Float64Array(1), 0)",
          "Atomics.wait(new Uint8Array(1), 0, 0, 1)",
        ]),
      ),
    ).toEqual([
      "not-equal",
      "timed-out",
      "TypeError: Atomics.wait cannot be called in this context: no other thread can wake it",
      "RangeError: Invalid atomic access index",
      "TypeError: [object Object] is not an integer typed array.",
      "TypeError: [object Array] is not an int32 or BigInt64 typed array.",
    ]);
  });
});

describe("QuotaExceededError and CloseEvent", () => {
  it("behave as in Deno [PB1.errors] [PB1.events]", async () => {
    expect(
      await evaluateInGuest(
        caught([
          `(() => { const e = new QuotaExceededError("full", { quota: 1, requested: 2 }); return [e.name, e.message, e.code, e.quota, e.requested, e instanceof DOMException, e instanceof Error, typeof e.stack]; })()`,
          `new QuotaExceededError("full", { quota: -1 })`,
          `new QuotaExceededError("full", { quota: 5, requested: 3 }).requested`,
          `(() => { const e = new CloseEvent("close", { wasClean: true, code: 1001, reason: "away" }); return [e.type, e.wasClean, e.code, e.reason]; })()`,
        ]),
      ),
    ).toEqual([
      ["QuotaExceededError", "full", 22, 1, 2, true, true, "string"],
      "RangeError: Failed to construct 'QuotaExceededError': quota must not be negative",
      "RangeError: Failed to construct 'QuotaExceededError': requested must not be less than quota",
      ["close", true, 1001, "away"],
    ]);
  });
});

describe("Deno.inspect()", () => {
  it("keeps control characters if requested, as snapshots of tests do [PB2.inspect]", async () => {
    expect(await evaluateInGuest(`[true, false].map((escapeSequences) => Deno.inspect(["a\\nb"], { escapeSequences }))`)).toEqual([
      '[ "a\\nb" ]',
      '[\n  "a\nb"\n]',
    ]);
  });

  it("prints on one line if compact is true, and on several lines if it is false [PB2.inspect]", async () => {
    expect(
      await evaluateInGuest(`(() => {
        const deep = { a: { a: { a: { a: { a: {} } } } } };
        return [true, false].map((compact) => Deno.inspect(deep, { compact, depth: Infinity }));
      })()`),
    ).toEqual([
      "{ a: { a: { a: { a: { a: {} } } } } }",
      "{\n  a: {\n    a: {\n      a: {\n        a: {\n          a: {}\n        }\n      }\n    }\n  }\n}",
    ]);
  });
});

describe("APIs that a plugin lacks", () => {
  it("name an alternative [PB4.advice]", async () => {
    expect(
      await evaluateInGuest(
        caught([
          "Deno.execPath()",
          "Deno.hostname()",
          "Deno.chmodSync('a', 0)",
          "Deno.stdout.writeSync(new Uint8Array(1))",
          "Deno.stdin.isTerminal()",
          "typeof Deno.bench('x', () => {})",
        ]),
      ),
    ).toEqual([
      "NotSupported: Cannot use Deno.execPath in a plugin: a plugin cannot start processes; offer the step as a tool that the user lists as trusted",
      "NotSupported: Cannot use Deno.hostname in a plugin: a plugin cannot see the machine that it runs on",
      "NotSupported: Cannot use Deno.chmodSync in a plugin: a plugin cannot change owners and modes of files",
      "NotSupported: Cannot use Deno.stdout.writeSync in a plugin: return the result, or use console.log",
      false,
      "undefined",
    ]);
  });
});
