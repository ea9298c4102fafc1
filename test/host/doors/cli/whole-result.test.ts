import { describe, expect, it } from "vitest";
import { type CliOutcome, createCliProject } from "./run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "big",
  version: "1.0.0",
  description: "Answers much",
  limits: { outputBytes: 4_194_304 },
  tools: ["much", "list", "blocks", "image", "fails"].map((name) => ({
    name,
    description: "Answers much",
    inputSchema: { type: "object" },
    sideEffects: [],
  })),
};

const FILES = {
  "bascule.json": JSON.stringify({ policy: { rules: [{ plugin: "big", limits: { outputBytes: 4_194_304 } }] } }),
  "plugins/big/manifest.json": JSON.stringify(MANIFEST),
  "plugins/big/main.ts": `
const text = "0123456789".repeat(150_000);
export const much = () => text;
export const list = () => Array.from({ length: 150_000 }, () => "0123456789");
export const blocks = (_args, context) => context.output({ output: text, content: [{ type: "text", text: "a" }, { type: "text", text }] });
export const image = (_args, context) => context.output({ content: [{ type: "image", mimeType: "image/png", data: "AAAA".repeat(300_000) }] });
export const fails = (_args, context) => context.output({ success: false, output: { text } });
`,
};
const TEXT = "0123456789".repeat(150_000);
const ON_A_TERMINAL = { answers: [] };

/** Abbreviates the repeated text, for readable assertions. */
function brief({ code, out, error }: CliOutcome): object {
  return { code, out: out.replaceAll(TEXT, "<text>"), error };
}

describe("bascule call of a tool with a large result", () => {
  it("truncates it on a terminal, and shows all of it with --full, also with a plugin limit above 1 MiB [X6.cli] [X6.cap]", async () => {
    await using project = await createCliProject(FILES);
    const cut = await project.run(["call", "much"], ON_A_TERMINAL);
    expect(cut.out.length).toBeLessThan(1_100_000);
    expect(cut).toMatchObject({ code: 0, error: expect.stringContaining("call --full … shows everything") as string });
    expect(brief(await project.run(["call", "much", "--full"], ON_A_TERMINAL))).toEqual({ code: 0, out: "<text>\n", error: "" });
  });

  it("writes all of it if stdout is not a terminal: text, JSON, blocks, a document [X6.file]", async () => {
    await using project = await createCliProject(FILES);
    expect(brief(await project.run(["call", "much"]))).toEqual({ code: 0, out: "<text>\n", error: "" });
    const list = await project.run(["call", "list"]);
    expect(list).toMatchObject({ code: 0, error: "" });
    expect(JSON.parse(list.out)).toEqual(Array.from({ length: 150_000 }, () => "0123456789"));
    expect(brief(await project.run(["call", "blocks"]))).toEqual({ code: 0, out: "a\n<text>\n", error: "" });
    const document = await project.run(["call", "blocks", "--json"]);
    const { output, content, truncated } = JSON.parse(document.out) as Readonly<Record<string, unknown>>;
    expect({ code: document.code, isWhole: output === TEXT, content, truncated }).toEqual({
      code: 0,
      isWhole: true,
      content: [
        { type: "text", text: "a" },
        { type: "text", text: TEXT },
      ],
      truncated: undefined,
    });
  });

  it("fails if it cannot write all of it, and reports what is missing [X6.file]", async () => {
    await using project = await createCliProject(FILES);
    const error =
      "Result incomplete: content/0 (1200000 bytes) left out (above 1 MiB only text and JSON can be read; let the tool write a file)\n";
    expect(await project.run(["call", "image"])).toMatchObject({ code: 6, error });
    expect(await project.run(["call", "image", "--full"], ON_A_TERMINAL)).toMatchObject({ code: 6, error });
    expect(await project.run(["call", "fails"])).toMatchObject({
      code: 1,
      error: expect.stringContaining("Result incomplete: error/details (1500011 bytes) left out") as string,
    });
  });
});
