import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { startGuest } from "../engine.ts";

const DENO = fileURLToPath(new URL("../../../../node_modules/.bin/deno", import.meta.url));

/** Everything here prints the same in Deno: debug and info to stdout, warn and error to stderr. */
const PROGRAM = `
  console.log(); console.log(""); console.log(undefined, null, "a", ["a"], 1, -0, 2n, true);
  console.log("a\\nb", { a: "x\\ny" }); console.debug("debug"); console.info("info"); console.warn("warn", { a: 1 }); console.error("error");
  console.log("%s %d %i %f %j %o %O %c|", { a: 1 }, "42.5", 42.9, "1.5", { a: 1 }, [1, { b: 2 }], { c: { d: 1 } }, "color:red", "extra", { z: 1 });
  console.log("%s", Symbol("a"), "%s"); console.log("%d %d %d", 1n, {}, "x"); console.log("100%"); console.log("%%", "a"); console.log("%%");
  console.log("%s", null, undefined, -0, 1n); console.log("a%sb%sc", "1"); console.log("%x", 1); console.log("%i %d %f", "0x10", "abc", "1e3");
  console.log("%s|%s|%s", { toString() { return "ts" } }, [1, [2]], 3); console.log(1, "%s", "x"); console.log("%", 1); console.log("%s");
  console.group("G", 1); console.log("a\\nb"); console.group(); console.log({ a: 1, b: ["x".repeat(70), 2] }); console.warn("w"); console.groupEnd(); console.groupCollapsed("C");
  console.log("in"); console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log("out");
  console.table([{ a: 1, b: "x" }, { a: 2, c: true }]); console.table([[1, 2], [3, 4]]); console.table(new Map([["k", 1], ["l", { m: 1 }]])); console.table(5); console.table([1, "a"]);
  console.table([{ a: 1, b: 2 }], ["b"]); console.table(new Set([1])); console.table({ x: { v: 1 }, y: 2 }); console.table([]); console.table("text"); console.table([{ a: { b: { c: 1 } } }]);
  console.table([{ name: "é", n: -1 }, { name: "longer name", n: 100 }]);
  console.count(); console.count("x"); console.count(); console.countReset(); console.count(); console.countReset("nope");
  console.assert(true); console.assert(false); console.assert(false, "msg %s", "a"); console.assert(false, { a: 1 }); console.assert();
  console.dir({ a: { b: { c: { d: { e: { f: {} } } } } }, s: "text" }, { depth: 1 }); console.dirxml({ a: 1 }, 2); console.timeEnd("nope"); console.timeLog("nope2");
`;

async function runDeno(): Promise<{ stdout: string; stderr: string }> {
  return await promisify(execFile)(DENO, ["eval", "--quiet", PROGRAM], { env: { ...process.env, NO_COLOR: "1" } });
}

async function logsOf(source: string): Promise<readonly { readonly level: string; readonly text: string }[]> {
  const guest = await startGuest({ source: `export function tool() {${source}}` });
  try {
    expect(guest.output()).toBe(null);
    return guest.logs;
  } finally {
    guest.dispose();
  }
}

describe("console", () => {
  it("prints the same as Deno for every format [PB1.console] [B6.console]", async () => {
    const [theirs, logs] = await Promise.all([runDeno(), logsOf(PROGRAM)]);
    const printed = (...levels: string[]): string[] =>
      logs.filter(({ level }) => levels.includes(level)).flatMap(({ text }) => text.split("\n"));
    expect(printed("debug", "info")).toEqual(theirs.stdout.replace(/\n$/u, "").split("\n"));
    expect(printed("warn", "error")).toEqual(theirs.stderr.replace(/\n$/u, "").split("\n"));
  });

  it("is a namespace: its prototype is an empty object [PB1.console]", async () => {
    const [log] = await logsOf(
      `const own = Object.getPrototypeOf(console); console.log(Reflect.ownKeys(own).length, Object.getPrototypeOf(own) === Object.prototype);`,
    );
    expect(log?.text).toBe("0 true");
  });

  it("logs each method at its level [B6.console]", async () => {
    const logs = await logsOf(
      `for (const method of ["debug", "log", "info", "dir", "count", "warn", "error", "trace"]) console[method](method); console.assert(false)`,
    );
    expect(logs.map(({ level }) => level)).toEqual(["debug", "info", "info", "info", "info", "warn", "error", "error", "error"]);
  });

  it("shows errors with stack, cause and properties, at the positions in the author's source [PB1.console]", async () => {
    const [first, nested] = await logsOf(`
      class MyError extends Error { constructor(m, o) { super(m, o); this.code = 7 } }
      console.log(new MyError("boom", { cause: new TypeError("inner") }));
      console.log({ list: [new RangeError("x")] });`);
    expect(first?.text).toBe(
      [
        "MyError: boom",
        "    at MyError (main.js:2:62)",
        "    at tool (main.js:3:30)",
        " {",
        "  code: 7,",
        "  [cause]: TypeError: inner",
        "      at tool (main.js:3:61)",
        "}",
      ]
        .join("\n")
        .replace("\n {", " {"),
    );
    expect(nested?.text).toBe("{\n  list: [\n    RangeError: x\n        at tool (main.js:4:42)\n  ]\n}");
  });

  it("measures time on the host's clock [PB1.console]", async () => {
    const guest = await startGuest({
      source: `export async function tool() { console.time("t"); await new Promise((r) => setTimeout(r, 250)); console.timeLog("t", "half"); console.timeEnd("t"); console.timeEnd("t"); console.time("t"); console.time("t") }`,
    });
    guest.output();
    expect(guest.logs.map(({ text }) => text)).toEqual([
      "t: 250ms half",
      "t: 250ms",
      "Timer 't' does not exist",
      "Timer 't' already exists",
    ]);
    guest.dispose();
  });

  it("prints a trace of the caller without frames of the prelude [PB1.console]", async () => {
    const [line] = await logsOf(`(function inner() { console.trace("at %s", "x") })()`);
    expect(line?.text).toBe("Trace: at x\n    at inner (main.js:1:58)\n    at tool (main.js:1:75)\n");
  });

  it("bounds one line and the work of formatting it [B3.logs] [B4]", async () => {
    const [huge, graph] = await logsOf(`
      console.log("x".repeat(1_000_000));
      let shared = {}; for (let i = 0; i < 60; i++) shared = [shared, shared];
      console.dir(shared, { depth: 60 });`);
    expect(huge?.text.length).toBeLessThan(33_000);
    expect(huge?.text.endsWith("x… (967296 more characters)")).toBe(true);
    expect(graph?.text.length).toBeLessThan(33_000);
  });

  it("never throws, whatever its arguments [B4] [B5]", async () => {
    const logs = await logsOf(`
      const hostile = [
        { [Symbol.for("Deno.customInspect")]() { throw new Error("mine") } },
        new Proxy({}, { ownKeys() { throw new Error("keys") } }),
        new Proxy(function () {}, { get() { throw new Error("get") } }),
        { get [Symbol.toStringTag]() { throw new Error("tag") } },
        { [Symbol.for("Deno.customInspect")]() { throw { get message() { throw 1 } } } },
        Object.defineProperty(new Error("e"), "stack", { get() { throw new Error("stack") } }),
        Object.defineProperty(function f() {}, "name", { get() { throw new Error("name") } }),
      ];
      for (const value of hostile) console.log(value);
      console.log("%s", { toString() { throw new Error("s") } });
      console.log("%j", { toJSON() { throw new Error("j") } });`);
    expect(logs.map(({ text }) => text)).toEqual([
      "[Cannot be shown: mine]",
      "[Cannot be shown: keys]",
      "[Cannot be shown: get]",
      "[Cannot be shown: tag]",
      "[Cannot be shown: it throws]",
      "[Error: e]",
      "[Function (anonymous)]",
      "[Cannot be shown: s]",
      "[Cannot be shown: j]",
    ]);
  });

  it("has Deno's methods with their names and tag [PB1.console]", async () => {
    const [line] = await logsOf(
      `console.log(JSON.stringify([Object.keys(console), console.log.name, Object.prototype.toString.call(console), Object.getOwnPropertyDescriptor(globalThis, "console").enumerable]))`,
    );
    expect(JSON.parse(line?.text ?? "")).toEqual([
      [
        "log",
        "debug",
        "info",
        "dir",
        "dirxml",
        "warn",
        "error",
        "assert",
        "count",
        "countReset",
        "table",
        "time",
        "timeLog",
        "timeEnd",
        "group",
        "groupCollapsed",
        "groupEnd",
        "clear",
        "trace",
        "profile",
        "profileEnd",
        "timeStamp",
      ],
      "log",
      "[object console]",
      false,
    ]);
  });
});
