import { describe, expect, it } from "vitest";
import { stepLines } from "../../../../host/doors/cli/table.ts";
import { createStyle } from "../../../../host/primitives/style.ts";
import { textWidth } from "../../../../host/primitives/text.ts";
import { createCliProject } from "./run-cli.ts";

const LINES = [
  "",
  "--help",
  "init",
  "init demo",
  "init --template=list",
  "add builtin:",
  "list",
  "info words",
  "info word_count",
  "info calculate",
  "why words.grep",
  "why words.grep read=README.md",
  "grants",
  "doctor",
  "policy check",
  "mcp-servers",
  "settings words",
  "search count words of a text",
  "check",
  "audit tail",
  "learn words",
  "trace last",
  "trace last --profile",
  "add a-folder-with-a-long-name/of-a-plugin --yes",
] as const;

const WORDS = "words that take more room than a narrow terminal has in one line, so that they have to be wrapped";
const EXTRA = {
  schemaVersion: "1.0",
  ...{ name: "extra", version: "1.0.0", description: WORDS },
  permissions: { read: { allow: ["docs/a/long/path", "docs/another/long/path"], reason: WORDS } },
  tools: ["one", "another_tool_with_a_long_name"].map((name) => ({ name, description: WORDS, inputSchema: {}, sideEffects: ["read"] })),
};

describe("a terminal", () => {
  it.each([60, 80, 200])("of %i columns shows every table without a line that wraps [DI6.width]", { timeout: 120_000 }, async (columns) => {
    await using project = await createCliProject({
      "a-folder-with-a-long-name/of-a-plugin/manifest.json": JSON.stringify(EXTRA),
      "a-folder-with-a-long-name/of-a-plugin/main.ts":
        "export const one = () => 1;\nexport const another_tool_with_a_long_name = () => 1;\n",
    });
    const run = async (line: string): Promise<readonly string[]> => {
      const { out, error } = await project.run(line.split(" ").filter(Boolean), { answers: [], columns });
      return `${out}${error}`.trimEnd().split("\n");
    };
    await run("init");
    await project.run(["grant", "words", "--allow-read=."]);
    await project.run(["grant", "words", "--allow-read=a/folder/with/a/long/name,another/folder/with/a/long/name,漢字の長い名前"]);
    await run("call word_count path=plugins/words/README.md --record --allow-read=.");
    const tooWide = async (line: string): Promise<readonly string[]> =>
      (await run(line)).filter((text) => textWidth(text) > columns && !isWhole(text)).map((text) => `${line}: ${text}`);
    const wide: string[] = [];
    for (const line of LINES) wide.push(...(await tooWide(line)));
    expect(wide).toEqual([]);
  });

  it.each([60, 80, 200])("of %i columns shows trust requests without a line that wraps [DI6.width]", async (columns) => {
    const gpu = { url: "https://gpu.example/a/path/of/this/server", tools: ["words.word_count", "words.grep", "words.outline"] };
    await using project = await createCliProject({ "bascule.json": JSON.stringify({ remotes: { gpu } }) }, { isOwn: false });
    const first = await project.run(["trust", "--yes"], { answers: [], columns });
    await project.write("bascule.json", JSON.stringify({ remotes: { gpu: { ...gpu, tools: [...gpu.tools, "math.calculate"] } } }));
    const changed = await project.run(["trust"], { answers: [], columns });
    expect(changed.out).toMatch(/^ +\+ tools +words\.word_count/mu);
    const lines = `${first.out}${changed.out}`.split("\n").filter((line) => line.startsWith(" "));
    expect(lines.filter((line) => textWidth(line) > columns)).toEqual([]);
  });

  /** A digest, a path and a command to copy stay whole, and so does the text after "needs a grant", which the terminal wraps. */
  const isWhole = (text: string): boolean => /^\s*\S+(?:\s+\S+)?$|^ +(?:bascule |needs a grant|requests higher limits)/u.test(text);

  it.each([[[]], [["init"]], [["init", "demo"]]])(
    "of 80 x 24 shows all of bascule %j, with the next command first [DI6.first]",
    async (words) => {
      await using project = await createCliProject({});
      const { out } = await project.run(words, { answers: [], columns: 80 });
      const lines = out.trimEnd().split("\n");
      expect(lines.length).toBeLessThan(24);
      const [next = ""] = lines.filter((line) => line.startsWith("  bascule "));
      expect(next).toMatch(
        words.length === 0 ? /^ {2}bascule init {2}/u : words.length === 1 ? /^ {2}bascule call calculate / : /^ {2}bascule dev$/u,
      );
    },
  );
});

describe("stepLines()", () => {
  const steps = [
    ["npx bascule dev", "serve it"],
    ["npx bascule call 漢字", "see it"],
  ] as const;

  it("writes what a command does beside it, or below if there is too little room [DI6.width]", () => {
    const style = createStyle(false);
    expect(stepLines(steps, { style, room: 34 })).toEqual(["  npx bascule dev        serve it", "  npx bascule call 漢字  see it"]);
    expect(stepLines(steps, { style, room: 32 })).toEqual(["  npx bascule dev", "    serve it", "  npx bascule call 漢字", "    see it"]);
  });
});
