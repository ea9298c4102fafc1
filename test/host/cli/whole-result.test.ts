import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "big",
  version: "1.0.0",
  description: "Answers much",
  limits: { outputBytes: 4_194_304 },
  tools: [{ name: "much", description: "Answers much", inputSchema: { type: "object" }, sideEffects: [] }],
};

describe("bascule call --full", () => {
  it("shows the whole of an answer that a session takes a part of, also of a plugin's own limit above 1 MiB [X6.cli] [X6.cap]", async () => {
    await using project = await createCliProject({
      "bascule.json": JSON.stringify({ policy: { rules: [{ plugin: "big", limits: { outputBytes: 4_194_304 } }] } }),
      "plugins/big/manifest.json": JSON.stringify(MANIFEST),
      "plugins/big/main.ts": "export const much = () => '0123456789'.repeat(150_000);",
    });
    const cut = await project.run(["call", "much"]);
    expect(cut.out.length).toBeLessThan(1_100_000);
    expect(cut.error).toContain("call --full … shows all of them");
    const whole = await project.run(["call", "much", "--full"]);
    expect(whole).toMatchObject({ code: 0, out: `${"0123456789".repeat(150_000)}\n`, error: "" });
  });
});
