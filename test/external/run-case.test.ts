import { afterAll, describe, expect, it } from "vitest";
import { startSandbox } from "../support/sandbox.ts";
import { type Baseline, compare } from "./baseline.ts";
import { runCase } from "./run-case.ts";
import { RESULT_MARK, type ScriptCase, WHOLE_FILE } from "./suite.ts";
import { wptProgram } from "./wpt-program.ts";

const sandbox = startSandbox({ maximumWorkers: 1 });
afterAll(() => sandbox[Symbol.asyncDispose]());

function caseOf(source: string): ScriptCase {
  const readFile = (path: string): Promise<Uint8Array | undefined> =>
    Promise.resolve(path === "/there" ? new TextEncoder().encode("text") : undefined);
  return { kind: "script", id: "a.any.js", digest: String(source.length), files: { "main.js": source }, readFile };
}

const LOG = `const log = (...result) => console.log(${JSON.stringify(RESULT_MARK)} + JSON.stringify(result));`;

describe("runCase()", () => {
  it("reads the results of a test file and ignores its other output", async () => {
    const { tests } = await runCase(
      sandbox,
      caseOf(`${LOG} export async function run() { console.log("noise"); log("one", true); log("two", false, "why"); log("one", true); }`),
    );
    expect(tests).toEqual([
      { name: "one", passed: true },
      { name: "two", passed: false, message: "why" },
      { name: "one #2", passed: true },
    ]);
  });

  it("keeps results from before the file stopped, and reports that it stopped", async () => {
    const { tests } = await runCase(
      sandbox,
      caseOf(`${LOG} export async function run() { log("one", true); throw new Error("stopped"); }`),
    );
    expect(tests).toEqual([
      { name: "one", passed: true },
      { name: WHOLE_FILE, passed: false, message: expect.stringContaining("stopped") },
    ]);
  });

  it("gives a test the files of its case, by name", async () => {
    const { tests } = await runCase(
      sandbox,
      caseOf(`${LOG} export async function run() {
        log(await Deno.readTextFile("/there"), true);
        await Deno.readTextFile("/etc/passwd").catch((error) => log(error.name, true));
      }`),
    );
    expect(tests.map((test) => test.name)).toEqual(["text", "NotFound"]);
  });

  it("reports a file that does not load", async () => {
    const { tests } = await runCase(sandbox, caseOf(`export function run( {`));
    expect(tests).toEqual([{ name: WHOLE_FILE, passed: false, message: expect.stringMatching(/^It does not load: SyntaxError/u) }]);
  });
});

describe("wptProgram()", () => {
  const HARNESS = `
    const callbacks = [];
    function add_result_callback(callback) { callbacks.push(callback); }
    function add_completion_callback(callback) { Promise.resolve().then(() => callback([], { status: 0 })); }
    function test(run, name) { try { run(); callbacks[0]({ name, status: 0 }); } catch (error) { callbacks[0]({ name, status: 1, message: String(error) }); } }`;

  it("runs scripts as pages do: shared declarations, separate strict mode", async () => {
    const helper = `"use strict";\nconst shared = 5;\nclass Helper {}\nfunction helps() { return shared; }`;
    const source = wptProgram({
      path: "/a/b.any.js?x",
      scripts: [HARNESS, helper],
      test: `test(() => { if (helps() !== shared || new Helper() === undefined) throw new Error("not shared"); }, location.pathname + location.search);
             test(() => { throw new Error("no"); }, "fails");`,
    });
    const { tests } = await runCase(sandbox, caseOf(source));
    expect(tests).toEqual([
      { name: "/a/b.any.js?x", passed: true },
      { name: "fails", passed: false, message: "Error: no" },
    ]);
  });
});

describe("compare()", () => {
  const baseline: Baseline = new Map([["a", { digest: "1", passed: 2, total: 3, failed: { known: "links" } }]]);
  const result = (digest: string, names: Readonly<Record<string, boolean>>): Parameters<typeof compare>[1][number] => ({
    id: "a",
    digest,
    tests: Object.entries(names).map(([name, passed]) => ({ name, passed, message: "Cannot use Deno.link: a plugin cannot make links" })),
  });

  it("finds nothing if nothing changed", () => {
    const same = result("1", { one: true, two: true, known: false });
    expect(compare(baseline, [same])).toEqual({ regressions: [], unknown: [], otherwise: [], fixed: [] });
  });

  it("treats a new failure and a lost pass as regressions in an unchanged file", () => {
    const { regressions } = compare(baseline, [result("1", { one: true, two: false, known: false })]);
    expect(regressions).toEqual(["a: 1 passed, before it was 2", "a: two"]);
  });

  it("reports a failure that its reason no longer explains", () => {
    const result = { id: "a", digest: "1", tests: [{ name: "known", passed: false, message: "TypeError: not a function" }] };
    expect(compare(baseline, [result]).otherwise).toEqual(["a: known"]);
  });

  it("only lists failures in changed or new files, and tests that pass now", () => {
    expect(compare(baseline, [result("2", { one: false, known: true })])).toEqual({
      regressions: [],
      unknown: ["a: one"],
      otherwise: [],
      fixed: ["a: known"],
    });
    expect(compare(new Map(), [result("1", { one: false })])).toEqual({ regressions: [], unknown: ["a: one"], otherwise: [], fixed: [] });
  });
});
