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
] as const;

describe("a terminal", () => {
  it.each([60, 80, 200])("of %i columns shows every table without a line that wraps [DI6.width]", { timeout: 120_000 }, async (columns) => {
    await using project = await createCliProject({});
    const run = async (line: string): Promise<readonly string[]> => {
      const { out, error } = await project.run(line.split(" ").filter(Boolean), { answers: [], columns });
      return `${out}${error}`.trimEnd().split("\n");
    };
    await run("init");
    await project.run(["grant", "words", "--allow-read=."]);
    await project.run(["grant", "words", "--allow-read=a/folder/with/a/long/name,another/folder/with/a/long/name,漢字の長い名前"]);
    const wide: string[] = [];
    for (const line of LINES)
      for (const text of await run(line)) if (textWidth(text) > columns && !isWhole(text)) wide.push(`${line}: ${text}`);
    expect(wide).toEqual([]);
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
