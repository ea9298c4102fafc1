/** Values that JSON would drop silently. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf, SANDBOXES, startSandbox, type TestSandbox } from "../../../support/sandbox.ts";

const LOST: readonly (readonly [code: string, message: string])[] = [
  ["new Map([[1, 2]])", "Invalid output: A Map has no JSON form (Object.fromEntries makes an object of it)"],
  ["[1, { all: new Set([1]) }]", "Invalid output at /1/all: A Set has no JSON form (Array.from makes an array of it)"],
  [
    "{ 'a/b': { '~': new Uint8Array([1, 2]) } }",
    "Invalid output at /a~1b/~0: A Uint8Array has no JSON form (toBase64() makes a string of it, Array.from an array of numbers)",
  ],
  ["{ bytes: new Float64Array(3) }", "Invalid output at /bytes: A Float64Array has no JSON form (Array.from makes an array of it)"],
  ["new ArrayBuffer(2)", "Invalid output: An ArrayBuffer has no JSON form (return its content as plain values)"],
  [
    "{ rows: (async function* () { yield 1; })() }",
    "Invalid output at /rows: An AsyncGenerator has no JSON form (Array.fromAsync makes an array of what it yields)",
  ],
  [
    "{ rows: (function* () { yield 1; })() }",
    "Invalid output at /rows: A Generator has no JSON form (Array.from makes an array of what it yields)",
  ],
  ["new Map().values()", "Invalid output: A Map Iterator has no JSON form (Array.from makes an array of what it yields)"],
  ["[Promise.resolve(1)]", "Invalid output at /0: A Promise has no JSON form (await it)"],
  ["{ error: new Error('why') }", "Invalid output at /error: An Error has no JSON form (throw it, or return its message)"],
  [
    "{ headers: new Headers({ a: 'b' }) }",
    "Invalid output at /headers: A Headers has no JSON form (Object.fromEntries makes an object of it)",
  ],
  ["/x/", "Invalid output: A RegExp has no JSON form (return its content as plain values)"],
  [
    "context.output({ metadata: { at: new Map() } })",
    "Invalid output at /metadata/at: A Map has no JSON form (Object.fromEntries makes an object of it)",
  ],
];

const KEPT: readonly (readonly [code: string, value: unknown])[] = [
  [
    "{ a: {}, b: [], text: 'a {} in a text', c: Object.create(null), d: new (class { x = 1 })() }",
    { a: {}, b: [], text: "a {} in a text", c: {}, d: { x: 1 } },
  ],
  ["{ '0': 1 }", { "0": 1 }],
  ["{ at: new Date(0), url: new URL('a:b'), own: { toJSON: () => ({}) } }", { at: "1970-01-01T00:00:00.000Z", url: "a:b", own: {} }],
  ["new (class Empty { #own = 1 })()", {}],
  ["[Object.assign(new Uint8Array(2), { toJSON() { return { mine: {} } } })]", [{ mine: {} }]],
];

const NESTS = "let value = new Map(); for (let i = 0; i < 500; i++) value = [value]; return value;";

const PLUGIN = `
${[...LOST, ...KEPT].map(([code], index) => `export const at${index} = (_args, context) => (${code});`).join("\n")}
export async function later(args) { await null; return { at: new Map() }; }
export function bytes() { return { read: new Uint8Array(1 << 19) }; }
export function deep() { ${NESTS} }
export function moody() { let asked = 0; return { get a() { if (asked++ > 0) throw new Error("again"); return {}; } }; }
export async function tells(args, context) { context.progress({ at: [new Map()] }); }
export async function asks(args, context) { await context.tools.call("x", { bytes: new Uint8Array(1) }); }
let seen = 0;
export function counts(args) { return args.lost ? { seen: ++seen, map: new Map() } : { seen: ++seen, plain: {} }; }
`;

describe.each(SANDBOXES)("a value that JSON loses, on the %s", (_name, options) => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox(options);
    expect(await box.load("plugin", PLUGIN)).toMatchObject({ ok: true });
    // Starting a process takes seconds on a loaded machine.
  }, 120_000);
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });
  const call = async (name: string, more: Parameters<TestSandbox["call"]>[2] = {}): Promise<unknown> =>
    outputOf(await box.call("plugin", name, more));

  it("is refused with its position and a hint [AX4.lost]", async () => {
    const seen = await Promise.all(LOST.map((_, index) => call(`at${index}`)));
    expect(seen).toEqual(LOST.map(([, message]) => ({ kind: "not_json", message })));
  });

  it("is distinguished from values with a JSON form [AX4.lost]", async () => {
    const seen = await Promise.all(KEPT.map((_, index) => call(`at${LOST.length + index}`)));
    expect(seen).toEqual(KEPT.map(([, value]) => value));
  });

  it("is found in late results, deeply nested, and in outputs above the size limit [AX4.lost]", async () => {
    const map = "A Map has no JSON form (Object.fromEntries makes an object of it)";
    expect(await call("later")).toEqual({ kind: "not_json", message: `Invalid output at /at: ${map}` });
    expect(await call("deep", { limits: { jsonDepth: 512 } })).toEqual({
      kind: "not_json",
      message: `Invalid output at ${"/0".repeat(100)}: ${map}`,
    });
    expect(await call("bytes")).toEqual({
      kind: "not_json",
      message: "Invalid output at /read: A Uint8Array has no JSON form (toBase64() makes a string of it, Array.from an array of numbers)",
    });
  });

  it("may throw when it is inspected again [AX4.lost]", async () => {
    expect(await call("moody")).toEqual({ kind: "not_json", message: "again" });
  });

  it("is refused in progress reports and in arguments for another tool [AX4.lost]", async () => {
    expect(await call("tells")).toMatchObject({
      kind: "threw",
      message: "Invalid progress at /at/0: A Map has no JSON form (Object.fromEntries makes an object of it)",
    });
    expect(await call("asks")).toMatchObject({
      kind: "threw",
      message:
        "Invalid arguments at /bytes: A Uint8Array has no JSON form (toBase64() makes a string of it, Array.from an array of numbers)",
    });
  });

  it("leaves the session's state unchanged [AX4.lost] [B2.session]", async () => {
    const session = "lost";
    expect(await call("counts", { session, args: {} })).toEqual({ seen: 1, plain: {} });
    expect(await call("counts", { session, args: { lost: true } })).toMatchObject({ kind: "not_json" });
    expect(await call("counts", { session, args: {} })).toEqual({ seen: 2, plain: {} });
  });
});
