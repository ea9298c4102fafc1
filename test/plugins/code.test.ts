import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createHost, type Host } from "../../host/mod.ts";
import { memoryPlatform } from "../support/memory-platform.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const NATIVE = ["git_status", "run_tests", "lint_code"].map((tool) => ({ tool: `code.${tool}`, route: "host", confirm: "auto" }));

async function nativeHost(workspace: string, run: readonly string[]): Promise<Host> {
  return await createHost({
    config: { trusted: ["code"], policy: { rules: NATIVE } },
    plugins: `${REPOSITORY}plugins`,
    workspace,
    grants: { code: { read: ["$workspace"], run: [...run], env: ["PATH", "HOME"] } },
    logger: memoryPlatform().log,
    events: { store: false },
  });
}

describe("plugin code, trusted", () => {
  it("shows a git checkout, and runs no program that its configuration names [G3.code, O1.native]", async () => {
    const workspace = await temporaryFolder();
    const git = (...args: readonly string[]): unknown =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: workspace, stdio: "pipe" });
    git("init", "-q", "-b", "main");
    await writeFile(`${workspace}/kept.txt`, "1");
    await writeFile(`${workspace}/moved.txt`, "a line that stays as it is\n");
    git("add", ".");
    git("commit", "-qm", "first");
    git("mv", "moved.txt", "to.txt");
    await writeFile(`${workspace}/kept.txt`, "2");
    await writeFile(`${workspace}/new file.txt`, "");
    git("config", "core.fsmonitor", `touch ${workspace}/ran; false`);

    await using host = await nativeHost(workspace, ["git"]);
    expect(await host.call("git_status")).toMatchObject({
      ok: true,
      route: "host",
      decision: { confinement: "deno" },
      output: {
        branch: "main",
        files: [
          { path: "kept.txt", unstaged: "modified" },
          { path: "to.txt", from: "moved.txt", staged: "renamed" },
          { path: "new file.txt", unstaged: "untracked" },
        ],
      },
    });
    expect(await host.call("git_status", { path: "/etc" })).toMatchObject({ ok: false, error: { code: "fs_denied" } });
    // Not granted: the error names the grant that is missing.
    expect(await host.call("lint_code")).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: expect.stringContaining("no deno.json") },
    });
    // js_eval stays in the sandbox: no rule moved it.
    expect(await host.call("js_eval", { code: "6 * 7" })).toMatchObject({ ok: true, route: "wasm", output: { result: 42 } });
  });

  it("runs the project's own tests and linter, reports how they ended, and starts nothing without a grant [G3.code]", async () => {
    const workspace = await temporaryFolder();
    await writeFile(`${workspace}/package.json`, JSON.stringify({ scripts: { test: "echo 1 passed", lint: "echo no good && exit 3" } }));
    await using host = await nativeHost(workspace, ["npm"]);
    expect(await host.call("run_tests")).toMatchObject({
      ok: true,
      output: { command: "npm run --silent test", passed: true, exitCode: 0, output: expect.stringContaining("1 passed") },
    });
    expect(await host.call("lint_code")).toMatchObject({
      ok: true,
      output: { passed: false, exitCode: 3, output: expect.stringContaining("no good") },
    });
    await using without = await nativeHost(workspace, []);
    expect(await without.call("run_tests")).toMatchObject({
      ok: false,
      error: {
        code: "tool_failed",
        message: expect.stringContaining("NotCapable"),
        hint: { command: "bascule grant code --allow-run=npm" },
      },
    });
  });

  it("evaluates nothing natively, on any route [G3.code]", async () => {
    await using host = await createHost({
      config: { trusted: ["code"], policy: { rules: [{ plugin: "code", route: "host" }] } },
      plugins: `${REPOSITORY}plugins`,
      workspace: await temporaryFolder(),
      logger: memoryPlatform().log,
      events: { store: false },
    });
    expect(await host.call("js_eval", { code: "6 * 7" })).toMatchObject({
      ok: false,
      route: "host",
      error: { code: "tool_failed", message: expect.stringContaining("in the sandbox only") },
    });
  });
});
