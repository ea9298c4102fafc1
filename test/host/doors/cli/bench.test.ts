import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

describe("bascule bench", () => {
  it("measures calls of a tool, and explains why a call fails [I2.bench]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({ "README.md": "# Title\n" });
    await project.run(["init", "demo"]);
    const words = ["bench", "demo_peek", "path=README.md", "--calls", "40"];

    expect(await project.run(words)).toMatchObject({ code: 4, out: "", error: expect.stringMatching(/^fs_denied/m) });

    const { code, out, error } = await project.run([...words, "--in-flight", "3", "--allow-read=."]);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(out).toMatch(/^40 calls, 3 at once: [\d,]+ a second\np50 [\d.]+ (µs|ms)  p99 [\d.]+ (µs|ms)  worst [\d.]+ (µs|ms)\n$/);

    const json = JSON.parse((await project.run([...words, "--allow-read=.", "--json"])).out) as {
      p50Ms: number;
      p99Ms: number;
      worstMs: number;
    };
    expect(json).toMatchObject({ tool: "demo_peek", calls: 40, inFlight: 1 });
    expect(json.p50Ms > 0 && json.p50Ms <= json.p99Ms && json.p99Ms <= json.worstMs).toBe(true);

    expect(await project.run(["bench", "demo_peek", "--in-flight", "5"])).toMatchObject({
      code: 2,
      error: expect.stringContaining(`Option "--in-flight" must be an integer from 1 to 4, not "5"`),
    });
  });
});
