import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readdirSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.ts";
import { REPOSITORY } from "../support/source-files.ts";

/** Plugins whose `main.ts` needs no permission, and so no sandbox. */
const PURE = ["data", "math"];

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "bascule-unchanged-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A program that runs a plugin's cases by calling its functions, without bascule, and prints how many passed. */
function program(plugin: string): string {
  const at = `${REPOSITORY}plugins/${plugin}`;
  const files = readdirSync(`${at}/cases`);
  return `import manifest from ${JSON.stringify(`${at}/manifest.json`)} with { type: "json" };
import * as plugin from ${JSON.stringify(`${at}/main.ts`)};
${files.map((file, index) => `import cases${index} from ${JSON.stringify(`${at}/cases/${file}`)} with { type: "json" };`).join("\n")}
const sorted = (value) => value === null || typeof value !== "object" ? value
  : Array.isArray(value) ? value.map(sorted)
  : Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
let passed = 0;
for (const one of [${files.map((_, index) => `...cases${index}`).join(", ")}]) {
  // What the host refuses never reaches the plugin.
  if (["invalid_args", "unavailable"].includes(one.expect.error?.code)) continue;
  const tool = manifest.tools.find(({ name }) => name === one.tool);
  const outcome = await plugin[tool?.export ?? one.tool](one.args).then((output) => ({ ok: true, output }), (error) => ({ ok: false, message: error.message }));
  const isRight = outcome.ok
    ? one.expect.ok && (one.expect.output === undefined || JSON.stringify(sorted(outcome.output)) === JSON.stringify(sorted(one.expect.output)))
    : !one.expect.ok && outcome.message.startsWith(one.expect.error.message);
  if (isRight) passed += 1;
  else console.log("failed: " + one.name + " " + JSON.stringify(outcome));
}
console.log(passed + " passed");
`;
}

describe.each(PURE)("plugin %s", (plugin) => {
  it.each([
    ["Node", process.execPath, ["try.mjs"]],
    ["Deno, checked and without permissions", "deno", ["run", "--check", "--no-config", "--no-prompt", "--quiet", "try.mjs"]],
  ])("passes its cases without bascule on %s, unchanged [M8.vendored]", { timeout: 60_000 }, async (_name, command, args) => {
    await writeFile(join(folder, "try.mjs"), program(plugin));
    const { code, output } = await runCommand(command, args, { cwd: folder, timeoutMs: 50_000 });
    expect({ code, output: output.trim() }).toEqual({ code: 0, output: expect.stringMatching(/^[1-9]\d passed$/u) });
  });
});
