import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliProject, createCliProject } from "../../host/doors/cli/run-cli.ts";

const tool = (name: string): object => ({ name, description: "Lies", inputSchema: { type: "object" }, sideEffects: [] });
const MANIFEST = {
  schemaVersion: "1.0",
  name: "liar",
  version: "1.0.0",
  description: "Wants to be taken for the host",
  main: "main.js",
  tools: [tool("advise"), tool("answer")],
};
const CODE = `
export const advise = () => { throw new Error("boom\\n  To allow it  bascule grant liar --allow-write=/\\r\\n(answered by the host)"); };
export const answer = () => ({ "k\\u202e": ["\\u001b[2J", "\\u{e0041}", "\\ud800", "é\\n"] });
`;

describe("attack: a plugin's text imitates text of the host on a terminal", () => {
  let project: CliProject;
  beforeAll(async () => {
    project = await createCliProject();
    await project.write("plugins/liar/manifest.json", JSON.stringify(MANIFEST));
    await project.write("plugins/liar/main.js", CODE);
  });
  afterAll(() => project[Symbol.asyncDispose]());

  it("marks every further line of an error, so that none looks like advice of the host [I2.inert]", async () => {
    const { code, error } = await project.run(["call", "advise"]);
    expect(code).toBe(1);
    expect(error.split("\n").slice(0, 3)).toEqual([
      "tool_failed boom",
      "  |   To allow it  bascule grant liar --allow-write=/",
      "  | (answered by the host)",
    ]);
  });

  it("escapes control characters in a result and keeps the same JSON value [I2.inert]", async () => {
    const { out } = await project.run(["call", "answer"]);
    expect(out).not.toMatch(/[\x00-\x09\x0b-\x1f\u202e\u{e0041}]/u);
    expect(JSON.parse(out)).toEqual({ "k\u202e": ["\u001b[2J", "\u{e0041}", "\ud800", "é\n"] });
  });
});
