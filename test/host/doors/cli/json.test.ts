import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

const PAGE = await readFile(new URL("../../../../docs/json.md", import.meta.url), "utf8");

/** Rows of the page's tables: commands with their documents, and shapes, whose names begin with a capital letter. */
const ROWS = [...PAGE.matchAll(/^\| `([^`]+)` \| `(.+)` \|$/gmu)].map(([, name = "", text = ""]) => ({ name, type: parseType(text) }));
const SHAPES = new Map(ROWS.filter(({ name }) => /^[A-Z]/u.test(name)).map(({ name, type }) => [name, type]));
const COMMANDS = ROWS.filter(({ name }) => !SHAPES.has(name));

/** A type of the page: a word, a list, or members. */
type Type = string | { readonly list: Type } | { readonly members: readonly { name: string; isOptional: boolean; type: Type }[] };

function parseType(text: string): Type {
  const tokens = text.match(/\w+|\[\]|[{}:,?]/gu) ?? [];
  const take = (wanted: string): void => {
    if (tokens.shift() !== wanted) throw new Error(`Expected "${wanted}" in ${text}`);
  };
  const isNext = (wanted: string): boolean => tokens[0] === wanted;
  const read = (): Type => {
    let type: Type;
    if (!isNext("{")) type = tokens.shift() ?? "";
    else {
      const members: { name: string; isOptional: boolean; type: Type }[] = [];
      take("{");
      for (;;) {
        const name = tokens.shift() ?? "";
        const isOptional = isNext("?");
        if (isOptional) take("?");
        take(":");
        members.push({ name, isOptional, type: read() });
        if (!isNext(",")) break;
        take(",");
      }
      take("}");
      type = { members };
    }
    for (; isNext("[]"); take("[]")) type = { list: type };
    return type;
  };
  const type = read();
  if (tokens.length > 0) throw new Error(`Unexpected "${tokens.join(" ")}" in ${text}`);
  return type;
}

/** Returns where a value differs from its type on the page. */
function differences(value: unknown, type: Type, at: string): readonly string[] {
  if (typeof type === "string") {
    const shape = SHAPES.get(type);
    if (shape !== undefined) return differences(value, shape, at);
    const found = value === null ? "null" : Array.isArray(value) ? "list" : typeof value;
    return type === "any" || found === type ? [] : [`${at}: expected ${type}, not ${found}`];
  }
  if ("list" in type) {
    if (!Array.isArray(value)) return [`${at}: expected a list`];
    return value.flatMap((item, index) => differences(item, type.list, `${at}[${index}]`));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at}: expected an object`];
  const unknown = Object.keys(value).filter((key) => type.members.every(({ name }) => name !== key));
  const inner = type.members.flatMap((member) => {
    const path = `${at}.${member.name}`;
    if (!Object.hasOwn(value, member.name)) return member.isOptional ? [] : [`${path} is missing`];
    return differences((value as Readonly<Record<string, unknown>>)[member.name], member.type, path);
  });
  return [...unknown.map((key) => `${at}.${key} is not on the page`), ...inner];
}

describe("--json", () => {
  it("writes the documents that docs/json.md lists, and nothing else to stdout [DI6.json] [I2.json]", { timeout: 120_000 }, async () => {
    await using project = await createCliProject({ "README.md": "# Title\n" });
    expect(COMMANDS.length).toBeGreaterThan(35);
    const found: string[] = [];
    for (const { name, type } of COMMANDS) {
      const { out } = await project.run([...name.split(" "), "--json"]);
      found.push(...differences(JSON.parse(out), type, name));
    }
    expect(found).toEqual([]);
  });

  it("finds members that are missing, unknown or of another type, in nested objects and lists too [DI6.json]", () => {
    const type = parseType("{ a: { b: string, c?: number }[], d: Because }");
    expect(differences({ a: [{ b: "" }, { c: "1", e: 1 }], d: { layer: "x" } }, type, "call")).toEqual([
      "call.a[1].e is not on the page",
      "call.a[1].b is missing",
      "call.a[1].c: expected number, not string",
      "call.d.rule is missing",
    ]);
  });

  it("names only shapes that the page has [DI6.json]", () => {
    const named = [...PAGE.matchAll(/: ([A-Z]\w*)/gu)].map(([, name = ""]) => name).filter((name) => !SHAPES.has(name));
    expect(named).toEqual([]);
  });

  it.each([
    ["a mistyped command", ["lsit"], 2],
    ["a missing argument", ["grant"], 2],
    ["an unknown option", ["list", "--al"], 2],
    ["wrong JSON", ["call", "echo", "{"], 2],
    ["an unknown tool", ["info", "no_such"], 3],
    ["a wrong folder", ["check", "nowhere"], 3],
    ["a confirmation without a terminal", ["undo", "019a"], 3],
  ] as const)("reports %s as JSON too [DI6.json-error] [I2.json]", async (_what, words, code) => {
    await using project = await createCliProject({});
    const outcome = await project.run([...words, "--json"]);
    expect({ code: outcome.code, error: outcome.error, document: JSON.parse(outcome.out) as unknown }).toEqual({
      code,
      error: "",
      document: expect.objectContaining({
        ok: false,
        error: expect.objectContaining({ code: expect.any(String), message: expect.stringMatching(/^[^.\n]+(?:\.\w[^.\n]*)*$/u) }),
      }),
    });
  });
});
