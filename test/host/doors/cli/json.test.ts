import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

const PAGE = await readFile(new URL("../../../../docs/json.md", import.meta.url), "utf8");

/** Rows of the page: a command, and its members with their types. */
const ROWS = [...PAGE.matchAll(/^\| `([^`]+)` \| (.+) \|$/gmu)].map(([, command = "", members = ""]) => ({
  command,
  members: [...members.matchAll(/`(\w+)`(\??) (\w+)/gu)].map(([, name = "", isOptional = "", type = ""]) => ({ name, isOptional, type })),
}));

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "list" : typeof value;
}

/** Returns what differs between a document and a row of the page. */
function differences(document: Readonly<Record<string, unknown>>, members: (typeof ROWS)[number]["members"]): readonly string[] {
  const unknown = Object.keys(document).filter((key) => members.every(({ name }) => name !== key));
  const wrong = members.filter(({ name, isOptional, type }) => {
    if (!Object.hasOwn(document, name)) return isOptional === "";
    return type !== "any" && typeOf(document[name]) !== type;
  });
  return [...unknown.map((key) => `${key} is not on the page`), ...wrong.map(({ name, type }) => `${name}: expected ${type}`)];
}

describe("--json", () => {
  it("writes the documents that docs/json.md lists, and nothing else to stdout [DI6.json] [I2.json]", { timeout: 120_000 }, async () => {
    await using project = await createCliProject({ "README.md": "# Title\n" });
    expect(ROWS.length).toBeGreaterThan(35);
    const found: Record<string, readonly string[]> = {};
    for (const { command, members } of ROWS) {
      const { out } = await project.run([...command.split(" "), "--json"]);
      found[command] = differences(JSON.parse(out) as Readonly<Record<string, unknown>>, members);
    }
    expect(found).toEqual(Object.fromEntries(ROWS.map(({ command }) => [command, []])));
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
