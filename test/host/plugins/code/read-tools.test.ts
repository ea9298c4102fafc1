import { describe, expect, it } from "vitest";
import type { CodeReading } from "../../../../host/plugins/code/code-tool.ts";
import { readTools } from "../../../../host/plugins/code/read-tools.ts";

function read(main: string, others: Readonly<Record<string, string>> = {}): CodeReading {
  return readTools(new Map(Object.entries({ "main.ts": main, ...others })), "main.ts");
}

/** Returns the schemas of the members of one tool's arguments. */
function members(type: string, before = "", others: Readonly<Record<string, string>> = {}): Record<string, unknown> {
  const { tools, problems } = read(`${before}\n/** Does it */\nexport function f(args: ${type}) {}`, others);
  expect(problems).toEqual([]);
  const { inputSchema } = tools[0]?.fields ?? {};
  // The schema was made from the object type above.
  return (inputSchema as { properties: Record<string, unknown> }).properties;
}

/** Returns the first problem as `line:column message (fix)`. */
function problem(main: string): string {
  const [first] = read(main).problems;
  return first === undefined ? "none" : `${first.file}:${first.line}:${first.column} ${first.message} (${first.fix})`;
}

describe("readTools()", () => {
  it("reads an exported function: description, tags, arguments, defaults and output [AX1.functions]", () => {
    const reading = read(
      `
import type { Context } from "./bascule.d.ts";
import { MOST } from "./limits.ts";
/**
 * Shows the first lines
 * of a file.
 *
 * @title First lines
 * @sideEffects read, network
 * @requires read path
 * @determinism deterministic
 * @idempotent
 * @param args.path - A text file
 */
export async function head({ path, lines = MOST }: { path: string; /** How many @integer @minimum 1 */ lines?: number }, context: Context): Promise<{ first: string[] }> {
  return { first: [] };
}`,
      { "limits.ts": "export const MOST = 5;" },
    );
    expect(reading.problems).toEqual([]);
    expect(reading.tools.map(({ export: name, fields }) => ({ name, ...fields }))).toEqual([
      {
        name: "head",
        description: "Shows the first lines of a file.",
        title: "First lines",
        sideEffects: ["read", "network"],
        determinism: "deterministic",
        idempotent: true,
        requires: [{ capability: "read", arg: "path" }],
        inputSchema: {
          type: "object",
          properties: {
            path: { type: "string", description: "A text file" },
            lines: { type: "integer", description: "How many", minimum: 1, default: 5 },
          },
          required: ["path"],
          additionalProperties: false,
        },
        outputSchema: {
          type: "object",
          properties: { first: { type: "array", items: { type: "string" } } },
          required: ["first"],
        },
      },
    ]);
  });

  it.each<readonly [type: string, schema: unknown]>([
    ["string", { type: "string" }],
    ["unknown", {}],
    ["'a' | 'b'", { type: "string", enum: ["a", "b"] }],
    ["1 | -2 | null", { type: ["number", "null"], enum: [1, -2, null] }],
    ["true", { type: "boolean", const: true }],
    ["true | false", { type: "boolean" }],
    ["string | null", { type: ["string", "null"] }],
    ["string[] | null", { type: ["array", "null"], items: { type: "string" } }],
    ["'auto' | number", { anyOf: [{ type: "string", const: "auto" }, { type: "number" }] }],
    ["readonly (string | number)[]", { type: "array", items: { type: ["string", "number"] } }],
    [
      "Array<{ a: 1 }>",
      {
        type: "array",
        items: { type: "object", properties: { a: { type: "number", const: 1 } }, required: ["a"], additionalProperties: false },
      },
    ],
    ["[number, number]", { type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 }],
    [
      "[a: string, b?: number, ...boolean[]]",
      { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: { type: "boolean" }, minItems: 1 },
    ],
    ["Record<string, number>", { type: "object", additionalProperties: { type: "number" } }],
    ["{ [key: string]: unknown }", { type: "object", additionalProperties: true }],
    [
      "Record<'x' | 'y', string>",
      { type: "object", properties: { x: { type: "string" }, y: { type: "string" } }, required: ["x", "y"], additionalProperties: false },
    ],
  ])("maps %s [AX1.types]", (type, schema) => {
    expect(members(`{ value: ${type} }`)).toEqual({ value: schema });
  });

  it("resolves aliases, interfaces, generics, constants and utility types, also from other files [AX1.types-named]", () => {
    const before = `
import { type Order as Sort, KINDS } from "./types.ts";
import type { Box } from "./types.ts";
interface Base { /** Where */ readonly path: string }
interface All extends Base, Partial<Pick<Other, "x">> { rest: Omit<Other, "x">; sort?: Sort; box: Box<number> }
type Other = { x: string; y: number };
const SIZES = { small: 1, large: () => 2 };
type Size = Exclude<keyof typeof SIZES, "large">;`;
    const types = `
/** How to sort */
export type Order = "asc" | "desc";
export type Box<T> = { inner: T };
export const KINDS = ["a", "b"] as const;`;
    const type = "All & { kind: (typeof KINDS)[number]; size: Size; y: Other['y'] }";
    expect(members(type, before, { "types.ts": types })).toEqual({
      path: { type: "string", description: "Where" },
      x: { type: "string" },
      rest: { type: "object", properties: { y: { type: "number" } }, required: ["y"], additionalProperties: false },
      sort: { type: "string", enum: ["asc", "desc"], description: "How to sort" },
      box: { type: "object", properties: { inner: { type: "number" } }, required: ["inner"], additionalProperties: false },
      kind: { type: "string", enum: ["a", "b"] },
      size: { type: "string", const: "small" },
      y: { type: "number" },
    });
  });

  it("takes a comment with an empty line after it for the file's [AX1.doc]", () => {
    expect(read("/** About the file */\n\n/** Does it */\nexport function f() {}").tools[0]?.fields["description"]).toBe("Does it");
    expect(problem("/** About the file */\n\nexport function f() {}")).toContain('"f" has no description');
  });

  it("refers to a type that contains itself [AX1.types-recursive]", () => {
    const { tools, problems } = read(
      "interface Tree { leaf?: string; branches: Tree[] }\n/** Does it */\nexport function f(args: { tree: Tree }) {}",
    );
    const tree = {
      type: "object",
      properties: { leaf: { type: "string" }, branches: { type: "array", items: { $ref: "#/$defs/Tree" } } },
      required: ["branches"],
      additionalProperties: false,
    };
    expect(problems).toEqual([]);
    expect(tools[0]?.fields["inputSchema"]).toEqual({
      type: "object",
      properties: { tree },
      required: ["tree"],
      additionalProperties: false,
      $defs: { Tree: tree },
    });
  });

  it.each([
    ["{ when: Date }", '3:30 JSON has no dates (write "string", and "@format date-time" in its doc comment)'],
    ["{ x: any }", '3:27 "any" says nothing about the value (write the type, or "unknown" for any JSON value)'],
    ["{ call(): void }", "3:24 A function is not a JSON value (remove it, or write the data that it stands for)"],
    ["{ x: Foo }", `3:27 The type "Foo" is not declared in the plugin's own files (declare it there)`],
    ["{ x: Far }", `3:27 The type "Far" comes from the package "npm:far" (declare the type in the plugin's own files)`],
    ["FArgs", '3:22 "FArgs" is generated from the manifest, which is written from this code (declare the type in the code)'],
    ["{ x: (string | undefined)[] }", '3:37 JSON has no "undefined" (write "null", or make the member optional with "?")'],
    ["{ x: `a${string}` }", '3:27 A template literal type cannot be read (write "string", and "@pattern" in its doc comment)'],
    [
      "{ x: (typeof LIST)[number] }",
      '3:27 The type "(typeof LIST)[number]" cannot be read (write it as an object, a list, a union or a simple type)',
    ],
    [
      "string",
      "3:19 A tool takes its arguments as one object, and the context as the second parameter (write ({ path, lines }: { path: string; lines?: number }, context: Context))",
    ],
    ["{ /** @minimum one */ x: number }", '3:28 "@minimum" has no valid value: "one" (write a number, such as "@minimum 5")'],
    ["{ /** @minimun 1 */ x: number }", '3:28 Unknown tag "@minimun" (did you mean "@minimum"?)'],
    ["{ /** @minLength 1 */ x: number }", '3:28 "@minLength" is for a string (remove it, or change the type)'],
  ])("refuses the type %s at its place [AX1.refused]", (type, expected) => {
    const head = `import type { FArgs } from "./bascule.d.ts"; import { Far } from "npm:far"; const LIST = [String(1)];`;
    const code = `${head}\n/** Does it */\nexport function f(a: ${type}) {}`;
    const found = problem(code);
    expect(found.replace(/^main\.ts:/u, "")).toBe(expected);
    expect(read(code).tools).toEqual([]);
  });

  it.each([
    [
      "export function f() {}",
      'main.ts:1:8 The exported function "f" has no description (write a doc comment above it; add @internal to the comment if it is not a tool)',
    ],
    ["/** Adds */\nexport function f(a: number, b: number) {}", "main.ts:2:19 A tool takes its arguments as one object"],
    [
      "/** Adds */\nexport function f(a) {}",
      "main.ts:2:19 The arguments have no type (write it after the parameter: (args: { path: string }))",
    ],
    ["/** A */\nexport function f(a: {}): string;\nexport function f(a: {}): string { return '' }", 'main.ts:2:8 "f" is overloaded'],
    ["/**\n * A\n * @sideEffect read\n */\nexport function f() {}", 'main.ts:3:4 Unknown tag "@sideEffect" (did you mean "@sideEffects"?)'],
    [
      "/** A @sideEffects reads */\nexport function f() {}",
      'main.ts:1:7 "@sideEffects" has no valid value: "reads" (write "none", or one or more of read, write, network, llm, execute, system)',
    ],
    ["/** A */\nexport function f(): Promise<Map<string, string>> {}", 'main.ts:2:30 JSON has no Map (write "Record<string, …>")'],
    ["export function f( {", "main.ts:1:21 Unexpected token (correct the syntax)"],
  ])("refuses %j [AX1.refused-functions]", (code, expected) => {
    expect(problem(code)).toContain(expected);
  });

  it("leaves out all other exports, and finds tools of other files [AX1.exports]", () => {
    const main = `/** About the file */

export const first = 1;
export { other as renamed } from "./more.ts";
export * from "./again.ts";
/** @internal */ export function helper() {}
export const LIMIT = 5;
export interface Shape {}
export class Thing {}
function hidden() {}
/** Named @tool my-name */
export const arrow = (args: { n: number }): number => args.n;
export const made = defineTool({ description: "x" });`;
    const { tools, candidates, problems } = read(main, {
      "more.ts": "/** Other */ export function other() {}",
      "again.ts": "/** Again */ export async function again(): Promise<void> {}",
    });
    expect(problems).toEqual([]);
    expect(tools.map((tool) => [tool.export, tool.name, tool.fields["description"]])).toEqual([
      ["renamed", undefined, "Other"],
      ["arrow", "my-name", "Named"],
      ["again", undefined, "Again"],
    ]);
    expect(candidates.map((candidate) => candidate.export)).toEqual(["made"]);
  });

  it("keeps members of any name, for the manifest's reader to refuse [AX1.names]", () => {
    expect(Object.keys(members('{ __proto__: string; "a b": number; constructor?: boolean }'))).toEqual([
      "__proto__",
      "a b",
      "constructor",
    ]);
  });

  it("takes 5,000 types in one tool, and no more [AX1.bounded]", () => {
    const members = (count: number): string => Array.from({ length: count }, (_, index) => `a${index}: string;`).join(" ");
    const messages = (count: number): readonly string[] =>
      read(`/** Does it */\nexport function f(args: { x: { ${members(count)} } }) {}`).problems.map(({ message }) => message);
    // One more is the object of the arguments.
    expect([messages(4_999), messages(5_000)]).toEqual([[], ["The type is too large"]]);
  });

  it("ends for types that grow without end [AX1.bounded]", () => {
    const bomb = Array.from({ length: 20 }, (_, index) => `type T${index + 1} = { a: T${index}; b: T${index} };`).join("\n");
    const code = `type T0 = string;\n${bomb}\n/** Does it */\nexport function f(args: { x: T20 }) {}`;
    expect(read(code).problems.map(({ message }) => message)).toEqual(["The type is too large"]);
    const unions = Array.from({ length: 40 }, (_, index) => `type U${index + 1} = U${index} | U${index};`).join("\n");
    expect(
      read(`type U0 = string;\n${unions}\n/** Does it */\nexport function f(args: { x: U40 }) {}`).problems.map(({ message }) => message),
    ).toEqual(["The types are too large"]);
    const loop = "type A = B; type B = A; interface C extends C {}\n/** Does it */\nexport function f(args: { x: A; y: C }) {}";
    expect(read(loop).tools).toEqual([]);
    expect(read(loop).problems.length).toBeGreaterThan(0);
  });
});
