import { describe, expect, it } from "vitest";
import { type FakeAnswer, startGuest } from "../engine.ts";

async function outcomeOf(source: string, exportName = "tool", answer?: () => FakeAnswer): Promise<string> {
  const guest = await startGuest({ source, ...(answer !== undefined && { answer }) });
  const outcome = guest.call({ export: exportName });
  guest.dispose();
  return outcome;
}

/** Returns the outcome of a tool with this body. */
async function bodyOutcome(body: string, answer?: () => FakeAnswer): Promise<string> {
  return await outcomeOf(`export async function tool(args, context) { ${body} }`, "tool", answer);
}

function parsed(outcome: string): unknown {
  return JSON.parse(outcome.slice(1));
}

describe("a call", () => {
  it.each([
    ["return", 'd{"o":null}'],
    ["return undefined", 'd{"o":null}'],
    ["return null", 'd{"o":null}'],
    ["return 0", 'd{"o":0}'],
    ["return NaN", 'd{"o":null}'],
    ["return 'a\\u0000\\ud800'", 'd{"o":"a\\u0000\\ud800"}'],
    ["return { a: [1, undefined, () => {}], b: undefined, c: new Date(0) }", 'd{"o":{"a":[1,null,null],"c":"1970-01-01T00:00:00.000Z"}}'],
    ["return new Map([[1, 2]])", 'd{"o":{}}'],
    ["return { toJSON() { return { mine: 1 } } }", 'd{"o":{"mine":1}}'],
    ["return { o: 1, t: 2 }", 'd{"o":{"o":1,"t":2}}'],
    ["return { then(resolve) { resolve('from a thenable') } }", 'd{"o":"from a thenable"}'],
  ])("that does `%s` ends with JSON [X1] [B5]", async (body, outcome) => {
    expect(await bodyOutcome(body)).toBe(outcome);
  });

  it("may be a plain function, and return a promise or not [M8]", async () => {
    expect(await outcomeOf(`export const tool = (args) => args`)).toBe('d{"o":{}}');
    expect(await outcomeOf(`export function tool() { return Promise.resolve(2) }`)).toBe('d{"o":2}');
    expect(await outcomeOf(`export default function () { return 3 }`, "default")).toBe('d{"o":3}');
  });

  it.each([
    ["const a = {}; a.a = a; return a", /circular/u],
    ["return 1n", /bigint|BigInt/u],
    ["return () => {}", /^The tool returned a function$/u],
    ["return Symbol()", /^The tool returned a symbol$/u],
    ["return { toJSON() { throw new Error('my toJSON') } }", /^my toJSON$/u],
    ["return { get a() { throw new Error('my getter') } }", /^my getter$/u],
    ["return { toJSON() {} }", /^The tool returned an object whose toJSON returns undefined$/u],
    ["return new Proxy({}, { ownKeys() { throw new TypeError('my trap') } })", /^my trap$/u],
    ["return context.output({ output: 1n })", /bigint|BigInt/u],
  ])("that does `%s` fails because its result is not JSON [B5]", async (body, message) => {
    const outcome = await bodyOutcome(body);
    expect(outcome.slice(0, 1)).toBe("n");
    expect(outcome.slice(1)).toMatch(message);
  });

  it("distinguishes a tool output from a plain one [X1]", async () => {
    expect(
      await bodyOutcome(
        `return context.output({ output: { a: 1 }, content: [{ type: "text", text: "x" }], success: false, metadata: { m: 1 }, filesModified: ["f"], commandExecuted: "c", more: 1 })`,
      ),
    ).toBe(
      'd{"t":{"output":{"a":1},"content":[{"type":"text","text":"x"}],"success":false,"metadata":{"m":1},"filesModified":["f"],"commandExecuted":"c"}}',
    );
    expect(await bodyOutcome(`return context.output()`)).toBe('d{"t":{}}');
    expect(await bodyOutcome(`return { [Symbol.for("bascule.toolOutput")]: true, output: 1 }`)).toBe('d{"t":{"output":1}}');
    expect(await bodyOutcome(`return { [Symbol.for("bascule.toolOutput")]: "no", output: 1 }`)).toBe('d{"o":{"output":1}}');
  });

  it("that throws reports name, message and the positions in the author's source [X4]", async () => {
    expect(
      parsed(
        await outcomeOf(
          `function inner() {\n  throw new RangeError("boom");\n}\nexport async function tool() {\n  await null;\n  inner();\n}`,
        ),
      ),
    ).toEqual({
      name: "RangeError",
      message: "boom",
      stack: "    at inner (main.js:2:23)\n    at tool (main.js:6:8)\n",
    });
    expect(parsed(await outcomeOf(`export function tool() {\n  null.x;\n}`))).toMatchObject({
      name: "TypeError",
      stack: "    at tool (main.js:2:7)\n",
    });
  });

  it("shows a thrown ToolError unchanged, whatever code created it [X4]", async () => {
    expect(parsed(await bodyOutcome(`throw context.error("No such note", { id: 3 })`))).toMatchObject({
      name: "ToolError",
      message: "No such note",
      toolError: { message: "No such note", details: { id: 3 } },
    });
    expect(parsed(await bodyOutcome(`throw context.error("plain")`))).toMatchObject({ toolError: { message: "plain" } });
    const own = `class ToolError extends Error { name = "ToolError"; details = { get a() { throw 1 } } }; throw new ToolError("mine")`;
    expect(parsed(await bodyOutcome(own))).toMatchObject({ toolError: { message: "mine" } });
    expect(parsed(await bodyOutcome(`throw new Error("plain")`))).not.toHaveProperty("toolError");
  });

  it.each([
    ["throw 'text'", "Error", 'Uncaught "text"'],
    ["throw undefined", "Error", "Uncaught undefined"],
    ["throw { a: [1] }", "Error", "Uncaught { a: [ 1 ] }"],
    ["throw { message: 'm', name: 'N' }", "N", "m"],
    ["throw Object.defineProperty(new Error('m'), 'message', { get() { throw 1 } })", "Error", ""],
    ["throw Object.defineProperty(new Error('m'), 'name', { value: 5 })", "Error", "m"],
    ["throw new Proxy(new Error('m'), { get() { throw 1 } })", "Error", "Uncaught a thrown object that cannot be shown"],
    ["throw new Proxy({}, { get() { return new Proxy({}, {}) } })", "Error", /^Uncaught /u],
    ["throw new Deno.errors.Busy('b')", "Busy", "b"],
    ["throw new DOMException('d', 'AbortError')", "AbortError", "d"],
    ["throw null", "Error", "Uncaught null"],
    ["throw Symbol('s')", "Error", "Uncaught Symbol(s)"],
    ["throw () => {}", "Error", "Uncaught [Function (anonymous)]"],
  ])("survives `%s` [X4] [B4] [B5]", async (body, name, message) => {
    const outcome = await bodyOutcome(body);
    expect(outcome.slice(0, 1)).toBe("t");
    expect(parsed(outcome)).toMatchObject({ name, message: typeof message === "string" ? message : expect.stringMatching(message) });
  });

  it("bounds the text of an error [X4] [B5]", async () => {
    const { name, message, stack } = parsed(
      await bodyOutcome(
        `const e = new Error("m".repeat(1e6)); e.name = "N".repeat(1e6); e.stack = "    at f (main.js:1:1)\\n".repeat(1e5); throw e`,
      ),
    ) as Record<string, string>;
    expect([name?.length, message?.length, stack?.length].every((length) => length !== undefined && length < 9_000)).toBe(true);
    const details = parsed(await bodyOutcome(`throw context.error("m", { big: "x".repeat(1e6) })`));
    expect(details).toMatchObject({ toolError: { message: "m" } });
    expect(details).not.toHaveProperty("toolError.details");
  });

  it("names the existing functions if the export does not exist [M3]", async () => {
    const source = `export function one() {} export const two = () => {}; export const data = 3; export default class {}`;
    expect(await outcomeOf(source, "three")).toBe('x["default","one","two"]');
    expect(await outcomeOf(source, "data")).toBe('x["default","one","two"]');
    expect(await outcomeOf(source, "toString")).toBe('x["default","one","two"]');
    expect(await outcomeOf(source, "__proto__")).toBe('x["default","one","two"]');
    expect(await outcomeOf("", "x")).toBe("x[]");
  });

  it("of an undefined module finds no function [B5]", async () => {
    const guest = await startGuest({ source: `export function tool() {}` });
    for (const module of ["other.js", "__proto__", "constructor"]) {
      expect(guest.entry("invoke", module, "tool", "{}", "{}")).toBe("x[]");
    }
    guest.dispose();
  });

  it("that returns while operations with effects are pending names them, in order [B4.unfinished]", async () => {
    const never = (): FakeAnswer => ({ never: true });
    expect(
      await bodyOutcome(
        `Deno.writeTextFile("a", "x"); Deno.mkdir("b"); context.workspace.patch("c", "x", "y"); Deno.readTextFile("d"); context.progress(1); return 1`,
        never,
      ),
    ).toBe('u["fs.writeFile","fs.mkdir","workspace.patch"]');
  });

  it("may leave reads unfinished [B4.unfinished]", async () => {
    expect(await bodyOutcome(`Deno.readTextFile("d"); Deno.stat("e"); context.progress(1); return 1`, () => ({ never: true }))).toBe(
      'd{"o":1}',
    );
  });

  it("may leave nothing unfinished that was awaited, even if it failed [B4.unfinished]", async () => {
    expect(
      await bodyOutcome(`try { await Deno.writeTextFile("a", "x") } catch (e) { return e.name }`, () => ({
        error: { name: "NotCapable", message: "m" },
      })),
    ).toBe('d{"o":"NotCapable"}');
  });

  it("keeps its first outcome [B4]", async () => {
    const guest = await startGuest({
      source: `export async function tool() { setTimeout(() => { throw new Error("late") }, 1); return "first" }`,
    });
    expect(guest.call()).toBe('d{"o":"first"}');
    guest.now += 100;
    guest.entry("runTimers");
    expect(guest.entry("poll")).toBe('d{"o":"first"}');
    guest.dispose();
  });

  it("ignores answers to unknown requests, and a second answer [B5]", async () => {
    const guest = await startGuest({
      source: `export async function tool() { return await Deno.realPath("a") }`,
      answer: () => ({ value: "/real" }),
    });
    guest.entry("settle", 99, 'v"forged"');
    guest.entry("settle", 1, 'v"early"');
    expect(guest.output()).toBe("/real");
    guest.entry("settle", 1, 'v"again"');
    expect(guest.entry("poll")).toBe('d{"o":"/real"}');
    guest.dispose();
  });
});
