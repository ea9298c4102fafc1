import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.ts";
import { createCliProject } from "../host/cli/run-cli.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PLUGINS = `${REPOSITORY}plugins`;
const plugins = readdirSync(PLUGINS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** Names of tests and steps with what came of them, in the order in which they are shown. */
function results(output: string): readonly string[] {
  return output
    .split("\n")
    .map((line) => /^(\s*.*) \.\.\. (ok|FAILED|ignored)\b/.exec(line))
    .filter((match) => match !== null)
    .map(([, name = "", status = ""]) => `${name}: ${status}`);
}

describe.each(plugins)("the tests of plugin %s", (plugin) => {
  it("come to the same in the sandbox, under deno test and on Node [PB3.test] [M8.unchanged] [I7.test]", { timeout: 90_000 }, async () => {
    const folder = join(PLUGINS, plugin);
    const files = readdirSync(folder).filter((name) => name.endsWith(".test.ts"));
    expect(files).not.toEqual([]);
    const found: Record<string, readonly string[]> = {};

    await using project = await createCliProject({});
    const inside = await project.run(["test", folder, "--allow-read", "--allow-write"]);
    found["sandbox"] = results(inside.out.slice(inside.out.indexOf("main.test.ts")));

    const deno = await runCommand(
      "deno",
      ["test", "--no-config", "--check", "--allow-read", "--allow-write", ...files.map((file) => join(folder, file))],
      { cwd: await temporaryFolder(), timeoutMs: 80_000, env: { NO_COLOR: "1" } },
    );
    found["deno"] = results(deno.output);

    const shim = `${REPOSITORY}test/support/deno-on-node.mjs`;
    const node = await runCommand("node", ["--import", shim, ...files.map((file) => join(folder, file))], {
      cwd: await temporaryFolder(),
      timeoutMs: 80_000,
    });
    found["node"] = results(node.output);

    expect(found["sandbox"]?.length).toBeGreaterThan(1);
    expect(found).toEqual({ sandbox: found["sandbox"], deno: found["sandbox"], node: found["sandbox"] });
    expect({ sandbox: inside.code, deno: deno.code, node: node.code }).toEqual({ sandbox: 0, deno: 0, node: 0 });
  });
});
