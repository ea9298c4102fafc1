import { describe, expect, it } from "vitest";
import { createLiveRegion } from "../../../../host/doors/cli/live-region.ts";
import { withProgress } from "../../../../host/doors/cli/long-work.ts";
import { createOutput } from "../../../../host/doors/cli/output.ts";
import { verifyTask } from "../../../../host/audit/journal-reader.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { createCliProject } from "./run-cli.ts";
import { vendorPlugin } from "../../../../host/plugins/vendoring/vendor-plugin.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";

const ERASE = "\r\x1b[K";

/** Returns a memory platform with a terminal of 80 columns, and its output. */
function terminal(options: { readonly json?: boolean; readonly answers?: readonly string[] } = { answers: [] }): {
  readonly platform: ReturnType<typeof memoryPlatform>;
  readonly output: ReturnType<typeof createOutput>;
  readonly shown: () => readonly string[];
} {
  const platform = memoryPlatform({}, { ...(options.answers && { answers: options.answers }) });
  const output = createOutput(platform, { json: options.json ?? false, color: false, program: "bascule" });
  return { platform, output, shown: () => platform.recorded.error().split(ERASE).slice(1) };
}

describe("withProgress()", () => {
  it("shows nothing of work that ends at once [DI6.progress]", async () => {
    const { platform, output } = terminal();
    expect(await withProgress({ platform, output }, "Testing", async () => platform.advance(400))).toBeUndefined();
    platform.advance(10_000);
    expect(platform.recorded.error()).toBe("");
  });

  it("shows the time so far, or the time left if the end is known, and removes the line [DI6.progress]", async () => {
    const { platform, output, shown } = terminal();
    const answer = await withProgress({ platform, output }, "Testing", async (report) => {
      platform.advance(900);
      report({ message: "words\n" });
      platform.advance(1_000);
      report({ progress: 1, total: 4 });
      platform.advance(200);
      return "done";
    });
    expect(answer).toBe("done");
    expect(shown()).toEqual(["Testing  1 s", "Testing  2 s  words\\n", "Testing  █████░░░░░░░░░░░░░░░  25 %  7 s left", ""]);
    platform.advance(10_000);
    expect(shown()).toHaveLength(4);
  });

  it("removes the line when the work fails, and keeps it on one row [DI6.progress]", async () => {
    const { platform, output, shown } = terminal();
    const failing = withProgress({ platform, output }, "Fetching", async (report) => {
      report({ message: "x".repeat(200) });
      platform.advance(600);
      throw new Error("gone");
    });
    await expect(failing).rejects.toThrow("gone");
    expect(shown().map((line) => line.length)).toEqual([79, 0]);
  });

  it.each([
    ["with --json", { json: true, answers: [] }],
    ["without a terminal", {}],
  ] as const)("shows nothing %s [DI6.progress]", async (_what, options) => {
    const { platform, output } = terminal(options);
    await withProgress({ platform, output }, "Testing", async () => platform.advance(5_000));
    expect(platform.recorded.error() + platform.recorded.out()).toBe("");
  });
});

describe("createLiveRegion()", () => {
  it("shows the time left of a call at the pace since its first report [DI6.progress]", () => {
    const { platform, output, shown } = terminal();
    const region = createLiveRegion({ platform, output }, () => {});
    region.progress("1", "demo_peek", { progress: 20, total: 100 });
    platform.advance(10_000);
    region.progress("1", "demo_peek", { progress: 40, total: 100 });
    platform.advance(1_000);
    region.ended("1");
    expect(shown()).toEqual(["demo_peek ████░░░░░░░░░░░░░░░░  20 %", "demo_peek ████████░░░░░░░░░░░░  40 %  30 s left", ""]);
  });
});

describe("long commands", () => {
  it("bench shows the time left on a terminal only [DI6.progress]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({});
    const words = ["bench", "echo", "text=a", "--calls", "1000000"];
    const running = project.start(words, { answers: [], env: { TERM: "xterm" } });
    await running.waitFor(" left");
    running.interrupt();
    expect((await running.ended).error).toMatch(/Calling {2}[█░]{20} +\d+ % {2}\d+ (?:s|min|h) left/u);
  });

  it("audit verify counts the rows while another thread reads them [DI6.progress]", { timeout: 30_000 }, async () => {
    await using project = await createCliProject({});
    for (const text of ["a", "b", "c"]) await project.run(["call", "echo", `text=${text}`]);
    const platform = currentPlatform({ log: { level: "error" } });
    const counted = new Int32Array(new SharedArrayBuffer(8));
    const seen: string[] = [];
    const turn = async (): Promise<void> => void seen.push(counted.join(" of "));
    const { rows } = await verifyTask({ folder: `${project.folder}/.bascule/audit`, counted }, { ...platform, turn } as never);
    expect(rows).toBeGreaterThan(3);
    expect(seen).toEqual([`0 of ${rows}`]);
  });

  it("vendor tells its steps [DI6.progress]", { timeout: 60_000 }, async () => {
    const module = (name: string): Record<string, string> => ({
      [`node_modules/${name}/package.json`]: JSON.stringify({ name, version: "1.0.0", main: "index.js" }),
      [`node_modules/${name}/index.js`]: `export const ${name} = 1;\n`,
    });
    await using project = await createCliProject({ ...module("one"), ...module("two"), "demo/manifest.json": "{}" });
    const steps: unknown[] = [];
    const outcome = await vendorPlugin({
      ...{ platform: currentPlatform({ log: { level: "error" } }), plugin: "demo", directory: `${project.folder}/demo` },
      ...{ imports: { one: "npm:one", two: "npm:two" }, sources: new Map() },
      onStep: (step) => void steps.push(step),
    });
    expect(outcome).toMatchObject({ ok: true });
    expect(steps).toEqual([
      { message: "bundling npm:one", progress: 0, total: 2 },
      { message: "bundling npm:two", progress: 1, total: 2 },
    ]);
  });
});
