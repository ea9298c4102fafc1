/** Code that makes the reading of a plugin's tools large or wrong (SPEC AX1): what comes back to the host's thread is bounded. */

import { describe, expect, it } from "vitest";
import { readTools } from "../../../host/plugins/code/read-tools.ts";

/** @returns the first problem, or the number of tools */
function read(text: string): string | number {
  const { tools, problems, order, candidates } = readTools(new Map([["main.ts", text]]), "main.ts");
  const [first] = problems;
  if (first === undefined) return tools.length;
  expect([problems.length <= 50, tools.length + order.length + candidates.length <= 1_000]).toEqual([true, true]);
  return `${first.line}: ${first.message}`;
}

const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

describe("attack: reading code", () => {
  it("stops at a thousand exports that may be tools, and sends no order of them [AX1.bounds]", () => {
    const reason = '1001: "main.ts" exports more than 1000 functions and computed values';
    expect(read(many(3_000, (index) => `/** A */ export const f${index} = () => 1;`))).toBe(reason);
    expect(read(many(3_000, (index) => `export const f${index} = make();`))).toBe(reason);
    const { order } = readTools(new Map([["main.ts", many(3_000, (index) => `export const f${index} = 1;`)]]), "main.ts");
    expect(order).toEqual([]);
  });

  it("counts a long comment or list as often as types name it [AX1.bounds]", () => {
    const members = (count: number): string => `{ ${many(count, (index) => `a${index}: T;`)} }`;
    const tool = (count: number, name = "f"): string => `/** Does it */ export function ${name}(args: ${members(count)}) {}`;
    const long = `/** ${"a long word ".repeat(9_000)} */ type T = string;\n`;
    expect(read(`${long}${tool(10)}`)).toBe(1);
    expect(read(`${long}${tool(200)}`)).toMatch(/The type is too large$/);
    expect(read(`${long}${many(40, (index) => tool(20, `f${index}`))}`)).toMatch(/The types of the tools are too large together$/);
    const list = `type T = ${many(1_000, (index) => `| "v${index}"`)};\n`;
    expect(read(`${list}${tool(10)}`)).toBe(1);
    expect(read(`${list}${tool(200)}`)).toMatch(/The types? .*too large/);
  });

  it("stops at types that double with each line, or contain themselves [AX1.bounds]", () => {
    const tool = (type: string): string => `/** Does it */ export function f(args: ${type}) {}`;
    const doubled = many(20, (index) => `type T${index + 1} = T${index} | T${index};`);
    expect(read(`type T0 = "a" | "b";\n${doubled}\n${tool("{ a: T20 }")}`)).toBe("22: The types are too large");
    const joined = many(20, (index) => `type T${index + 1} = T${index} & T${index};`);
    expect(read(`type T0 = { a: string };\n${joined}\n${tool("T20")}`)).toBe("22: The types are too large");
    expect(read(`type A = Pick<{ x: 1 }, keyof A>;\n${tool("A")}`)).toBe("1: The types of the tools are too large, or contain themselves");
  });

  it("keeps arguments and tags with the names of prototypes [AX1.names]", () => {
    const text =
      "/** Does it */ export function f(args: { __proto__: string; /** Says\n * @constructor\n * @toString x\n */ constructor: number }) {}";
    const { tools, problems } = readTools(new Map([["main.ts", text]]), "main.ts");
    expect(problems).toEqual([]);
    expect(JSON.stringify(tools[0]?.fields["inputSchema"])).toBe(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number","description":"Says"}},' +
        '"required":["__proto__","constructor"],"additionalProperties":false}',
    );
  });
});
