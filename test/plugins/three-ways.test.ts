import { mkdtemp, rm } from "node:fs/promises";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type CommandOutcome, runCommand } from "../../scripts/run-command.ts";
import { createCliProject } from "../host/doors/cli/run-cli.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PLUGINS = `${REPOSITORY}plugins`;
const plugins = readdirSync(PLUGINS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

function testFilesOf(plugin: string): readonly string[] {
  const folder = join(PLUGINS, plugin);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name));
}

/** Names of tests and steps with their outcomes, in printed order. */
function results(output: string): readonly string[] {
  return output
    .split("\n")
    .map((line) => /^(\s*.*) \.\.\. (ok|FAILED|ignored)\b/.exec(line))
    .filter((match) => match !== null)
    .map(([, name = "", status = ""]) => `${name}: ${status}`);
}

/** Output of `deno test` below the headings of a plugin's files. */
function partOf(output: string, plugin: string): string {
  const parts = output.split(/^(?=running \d+ tests? from )/mu);
  return parts.filter((part) => part.split("\n", 1)[0]?.includes(`/plugins/${plugin}/`)).join("\n");
}

// One process for all plugins. The gate's step `types` checks their types, including tests.
let underDeno: CommandOutcome;
beforeAll(async () => {
  const cwd = await mkdtemp(join(tmpdir(), "bascule-test-"));
  const args = ["test", "--no-config", "--no-check", "--allow-read", "--allow-write", ...plugins.flatMap(testFilesOf)];
  underDeno = await runCommand("deno", args, { cwd, timeoutMs: 280_000, env: { NO_COLOR: "1" } });
  await rm(cwd, { recursive: true });
}, 300_000);

describe.each(plugins)("the tests of plugin %s", (plugin) => {
  it(
    "have the same results in the sandbox, under deno test and on Node [PB3.test] [M8.unchanged] [I7.test]",
    { timeout: 90_000 },
    async () => {
      const files = testFilesOf(plugin);
      expect(files).not.toEqual([]);
      const found: Record<string, readonly string[]> = {};

      await using project = await createCliProject({});
      const inside = await project.run(["test", join(PLUGINS, plugin), "--allow-read", "--allow-write"]);
      found["sandbox"] = results(inside.out.slice(inside.out.indexOf("main.test.ts")));

      found["deno"] = results(partOf(underDeno.output, plugin));

      const shim = `${REPOSITORY}test/support/deno-on-node.mjs`;
      const node = await runCommand("node", ["--import", shim, ...files], { cwd: await temporaryFolder(), timeoutMs: 80_000 });
      found["node"] = results(node.output);

      expect(found["sandbox"]?.length).toBeGreaterThan(1);
      expect(found).toEqual({ sandbox: found["sandbox"], deno: found["sandbox"], node: found["sandbox"] });
      expect({ sandbox: inside.code, deno: underDeno.code, node: node.code }).toEqual({ sandbox: 0, deno: 0, node: 0 });
    },
  );
});
