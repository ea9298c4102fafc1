import { describe, expect, it } from "vitest";
import { recordingHost } from "../../../support/recording-host.ts";
import { hostTool } from "../../../support/tools.ts";

const MAIN = `
export async function run({ text }, { tools }) {
  const said = await tools.call("count", { text });
  const failed = await tools.call("breaks").catch(({ code, message }) => ({ code, message }));
  return { said, failed, random: Math.random() };
}
export const both = async (args, context) => [await run(args, context)];`;

describe("a recorded call that called other tools", () => {
  it("is replayed with the recorded answers of the other tools, and none of them runs [C9.replay] [B8.replay] [K5.replay]", async () => {
    let counted = 0;
    await using box = await recordingHost(MAIN, {
      manifest: {
        permissions: { tools: ["count", "breaks"] },
        skills: [{ name: "both", description: "Runs it", tools: ["count", "breaks"], inputSchema: { type: "object" } }],
      },
      grants: { demo: { tools: ["count", "breaks"] } },
      tools: [
        hostTool("count", {}, () => ++counted),
        hostTool("breaks", {}, () => {
          throw new Error("hidden");
        }),
      ],
    });
    for (const tool of ["demo.run", "demo.both"]) {
      const result = await box.host.call(tool, { text: "a" }, { record: true });
      expect(result).toMatchObject({
        ok: true,
        recording: { kept: true },
        steps: [{ tool: "count" }, { tool: "breaks", code: "tool_failed" }],
      });
      const before = counted;
      const replayed = await box.replay(await box.recording(result.callId));
      expect(replayed).toEqual({ kind: "same", outcome: { ok: true, output: { o: result.output } } });
      expect(counted).toBe(before);
    }
  });
});
