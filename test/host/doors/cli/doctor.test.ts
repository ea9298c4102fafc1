import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../../../host/doors/cli/main.ts";
import { openTrustStore } from "../../../../host/project/trust/trust-store.ts";
import { memoryPlatform, memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";
import { createCliProject } from "./run-cli.ts";

const isLinux = process.platform === "linux";

// Processes take seconds to start on a crowded machine.
describe("bascule doctor", { timeout: 120_000 }, () => {
  it("says what is there and what is in force, as JSON too [I2.doctor]", async () => {
    await using project = await createCliProject({ "bascule.json": '{ "isolation": { "by": "process", "alone": ["payroll"] } }' });
    const { code, out } = await project.run(["doctor", "--json"]);
    const document = JSON.parse(out) as { readonly problems: readonly string[] };
    expect(document).toMatchObject({
      version: "0.1.0",
      runtime: { name: "Deno" in globalThis ? "deno" : "node", program: process.execPath },
      engine: { build: "metered" },
      files: isLinux ? "kernel" : "compared",
      isolation: {
        by: "process",
        alone: ["payroll"],
        process: { runtime: expect.stringMatching(/^(deno|node)$/), version: expect.any(String) },
      },
    });
    expect(code).toBe(document.problems.length === 0 ? 0 : 1);
  });

  it.each([["doctor"], ["audit", "tail"], ["export", "openai"], ["list"]])(
    "as %s, says what is wrong with bascule.json, and not that it failed itself [I2.config]",
    async (...argv) => {
      await using project = await createCliProject({ "bascule.json": '{ "plugns": [] }' });
      const { code, error: err } = await project.run(argv);
      expect(err).toMatch(/^error The file "\S+bascule\.json" is wrong\n {2}\/plugns/);
      expect([code, err.includes("unexpectedly")]).toEqual([1, false]);
    },
  );

  it("shows what the isolation leaves open, for people [I2.doctor]", async () => {
    await using project = await createCliProject();
    const { out } = await project.run(["doctor"]);
    expect(out).toMatch(
      /^isolation +by thread\n +WebAssembly in threads of the host's process\n +leaves open: a flaw in the runtime's WebAssembly/m,
    );
    for (const name of ["bascule", "runtime", "engine", "a process", "host route", "files", "cache", "watcher", "deno"])
      expect(out).toMatch(new RegExp(`^${name} `, "m"));
  });

  it("says which project it is and who serves it, and fails where a manifest or the grants are wrong [I2.doctor-project]", async () => {
    await using project = await createCliProject({ "plugins/odd/manifest.json": "{" });
    await project.run(["init", "demo"]);
    expect((await project.run(["doctor"])).out).toMatch(/^project +\S+ {2}no bascule\.json; 2 plugins\na host +none runs$/mu);
    await project.write(".bascule/grants.json", "[]");
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Ctrl-C ends");
    const { code, out } = await project.run(["doctor", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      project: { root: project.folder, plugins: 2, host: { pid: process.pid, plugins: 2 } },
      problems: expect.arrayContaining([
        "The manifest of plugins/odd is wrong (bascule check says where)",
        expect.stringContaining(".bascule/grants.json: "),
      ]),
    });
  });

  it("fails where a plugin waits to be accepted, with the command, whether a host runs or not [I2.doctor-accept]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    const doctor = async (): Promise<unknown> => {
      const { problems } = JSON.parse((await project.run(["doctor", "--json"])).out) as { readonly problems: readonly string[] };
      return problems.filter((problem) => problem.includes("accepted"));
    };
    const serving = async (during: () => Promise<void>): Promise<void> => {
      const serve = project.start(["serve", "--port=0"]);
      await serve.waitFor("http://127.0.0.1:");
      await during();
      serve.interrupt();
      await serve.ended;
    };
    await serving(async () => expect(await doctor()).toEqual([]));
    const manifest = join(project.folder, "plugins/demo/manifest.json");
    const text = await readFile(manifest, "utf8");
    await writeFile(manifest, text.replace('"permissions": {', '"permissions": { "write": ["$workspace"],'));
    const waits = ['Plugin "demo" waits to be accepted as it is now (bascule accept demo)'];
    expect(await doctor()).toEqual(waits);
    await serving(async () => {
      expect(await doctor()).toEqual(waits);
      await project.run(["accept", "demo", "--yes"]);
      expect(await doctor()).toEqual([]);
    });
    // The accepted version is in bascule.lock, without a bascule.json too.
    expect(await doctor()).toEqual([]);
  });

  it("says whether trusted plugins can run, and fails where those of the project cannot [O1.doctor, I2.doctor]", async () => {
    const without = memoryPlatformWithWorkers({ "bascule.json": '{ "trusted": ["words", { "name": "code", "unconfined": true }] }' });
    expect([await main(["doctor"], without), without.recorded.out()]).toEqual([0, expect.stringContaining("runs without: trusted.words")]);
    await (await openTrustStore(without, without.environment.cwd)).change((before) => ({ ...before, all: true }));
    expect(await main(["doctor"], without)).toBe(1);
    expect(without.recorded.out().replaceAll(/\n {4,}/gu, " ")).toMatch(
      /^host route +plugins cannot run natively: Deno is not installed; UNCONFINED: code; trusted by name, .*: words, code$/m,
    );
    expect(without.recorded.out()).toMatch(/problem {2}"words" is trusted, and Deno, which would confine it, is not installed/);
    expect(without.recorded.out()).not.toContain('"code" is trusted');
    await using project = await createCliProject({ "bascule.json": '{ "trusted": ["words"] }' });
    expect((await project.run(["doctor"])).out).toMatch(/^host route +trusted plugins run under Deno's permissions {2}\//m);
  });

  it("fails where the isolation that the project asks for does not work [I2.doctor]", async () => {
    const withProcess = memoryPlatformWithWorkers({ "bascule.json": '{ "isolation": "process" }' });
    expect(await main(["doctor"], withProcess)).toBe(1);
    expect(withProcess.recorded.out()).toContain("problem  This memory platform has no processes");
    const withThreads = memoryPlatform({}, { workers: withProcess.workers });
    expect(await main(["doctor"], withThreads)).toBe(0);
    expect(withThreads.recorded.out()).toContain("cannot be started: This memory platform has no processes");
  });
});

describe("--isolation", { timeout: 120_000 }, () => {
  it("runs plugins in a process for this run, and names what there is [B1.process] [I2.isolation]", async () => {
    await using project = await createCliProject();
    await project.run(["init", "demo"]);
    const tool = (await project.run(["list", "--json"])).out;
    expect(tool).toContain("demo_peek");
    await project.write("README.md", "# Title\n");
    const { code, out } = await project.run(["call", "demo_peek", "path=README.md", "--allow-read=.", "--isolation=process"]);
    expect([code, out.includes("# Title")]).toEqual([0, true]);
    await project.write("bascule.json", '{ "isolation": "process" }');
    expect((await project.run(["check"])).out).toContain("1 plugin good, 0 bad");
    const wrong = await project.run(["call", "demo_peek", "path=README.md", "--isolation=vm"]);
    expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining('There is no isolation "vm"')]);
  });
});
