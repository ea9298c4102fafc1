import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../../../host/doors/cli/main.ts";
import { openTrustStore } from "../../../../host/project/trust/trust-store.ts";
import { memoryPlatform, memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";
import { createCliProject } from "./run-cli.ts";

const isLinux = process.platform === "linux";

// Processes take seconds to start on a busy machine.
describe("bascule doctor", { timeout: 120_000 }, () => {
  it("reports the environment and active protections as JSON [I2.doctor]", async () => {
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

  it("answers only whether a host serves the folder, for health checks [DI3.healthcheck]", async () => {
    await using project = await createCliProject();
    const none = { code: 5, out: "", error: `error No host serves this project\n  bascule serve starts one\n` };
    expect(await project.run(["doctor", "--host"])).toEqual(none);
    const dev = project.start(["dev"]);
    await dev.waitFor("Press Ctrl-C");
    const { code, out, error } = await project.run(["doctor", "--host"]);
    expect({ code, out, error }).toEqual({
      code: 0,
      out: expect.stringMatching(/^serves \d+ plugins?, \d+ tools {2}process \d+\n$/),
      error: "",
    });
    dev.interrupt();
    await dev.ended;
    expect(await project.run(["doctor", "--host"])).toEqual(none);
  });

  it.each([["doctor"], ["audit", "tail"], ["export", "openai"], ["list"]])(
    "as %s, reports problems of bascule.json as such, not as an unexpected failure [I2.config]",
    async (...argv) => {
      await using project = await createCliProject({ "bascule.json": '{ "plugns": [] }' });
      const { code, error: err } = await project.run(argv);
      expect(err).toMatch(/^error Invalid "bascule\.json"\n {2}\/plugns/);
      expect([code, err.includes("unexpectedly")]).toEqual([1, false]);
    },
  );

  it("shows the gaps of the isolation as text [I2.doctor]", async () => {
    await using project = await createCliProject();
    const { out } = await project.run(["doctor"]);
    expect(out).toMatch(
      /^isolation +by thread\n +WebAssembly in threads of the host's process\n +leaves open: a bug in the runtime's WebAssembly/m,
    );
    for (const name of ["bascule", "runtime", "engine", "a process", "host route", "files", "cache", "watcher", "deno"])
      expect(out).toMatch(new RegExp(`^${name} `, "m"));
  });

  it("shows the project and its host, and fails if a manifest or the grants are invalid [I2.doctor-project]", async () => {
    await using project = await createCliProject({ "plugins/odd/manifest.json": "{" });
    await project.run(["init", "demo"]);
    expect((await project.run(["doctor"])).out).toMatch(/^project +\S+ {2}no bascule\.json; 2 plugins\na host +not running$/mu);
    await project.write(".bascule/grants.json", "[]");
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Press Ctrl-C");
    const { code, out } = await project.run(["doctor", "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      project: { root: project.folder, plugins: 2, host: { pid: process.pid, plugins: 2 } },
      problems: expect.arrayContaining([
        "Invalid manifest in plugins/odd (bascule check shows details)",
        expect.stringContaining(".bascule/grants.json: "),
      ]),
    });
  });

  it("fails with the accept command if a plugin waits, with or without a running host [I2.doctor-accept]", async () => {
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
    const waits = ['Plugin "demo" waits to be accepted (bascule accept demo)'];
    expect(await doctor()).toEqual(waits);
    await serving(async () => {
      expect(await doctor()).toEqual(waits);
      await project.run(["accept", "demo", "--yes"]);
      expect(await doctor()).toEqual([]);
    });
    // The accepted version is in bascule.lock even without a bascule.json.
    expect(await doctor()).toEqual([]);
  });

  it("reports whether trusted plugins can run, and fails if those of the project cannot [O1.doctor, I2.doctor]", async () => {
    const without = memoryPlatformWithWorkers({ "bascule.json": '{ "trusted": ["words", { "name": "code", "unconfined": true }] }' });
    expect([await main(["doctor"], without), without.recorded.out()]).toEqual([0, expect.stringContaining("runs without: trusted.words")]);
    await (await openTrustStore(without, without.environment.cwd)).change((before) => ({ ...before, all: true }));
    expect(await main(["doctor"], without)).toBe(1);
    expect(without.recorded.out().replaceAll(/\n {4,}/gu, " ")).toMatch(
      /^host route +plugins cannot run natively: Deno is not installed; UNCONFINED: code; trusted by name with any contents .*: words, code$/m,
    );
    expect(without.recorded.out()).toMatch(/problem {2}Trusted plugin "words" needs Deno, which is not installed/);
    expect(without.recorded.out()).not.toContain('Trusted plugin "code"');
    await using project = await createCliProject({ "bascule.json": '{ "trusted": ["words"] }' });
    expect((await project.run(["doctor"])).out).toMatch(/^host route +trusted plugins run under Deno's permissions {2}\//m);
  });

  it("fails if the project's isolation does not work [I2.doctor]", async () => {
    const withProcess = memoryPlatformWithWorkers({ "bascule.json": '{ "isolation": "process" }' });
    expect(await main(["doctor"], withProcess)).toBe(1);
    expect(withProcess.recorded.out()).toContain("problem  This memory platform has no processes");
    const withThreads = memoryPlatform({}, { workers: withProcess.workers });
    expect(await main(["doctor"], withThreads)).toBe(0);
    expect(withThreads.recorded.out()).toContain("cannot be started: This memory platform has no processes");
  });
});

describe("--isolation", { timeout: 120_000 }, () => {
  it("runs plugins in a process for this run, and refuses an unknown kind [B1.process] [I2.isolation]", async () => {
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
    expect([wrong.code, wrong.error]).toEqual([2, expect.stringContaining('Unknown isolation "vm"')]);
  });
});
