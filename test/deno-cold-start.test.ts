/** The first start on Deno after a change of the sources: workers compile for a while before they can answer. */

import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "../scripts/run-command.ts";

const REPOSITORY = fileURLToPath(new URL("../", import.meta.url));
const EXAMPLE = `import { createHost } from "./host/mod.ts";
await using host = await createHost({ plugins: ["./plugins"], workspace: ".", config: false });
console.log((await host.call("echo", { text: "awake" })).ok, host.plugins().length > 1);
`;

it("answers on Deno when no source was ever compiled before [B3.spare]", { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "bascule-cold-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["host", "sandbox", "manifests", "plugins", "deno.json", "package.json"]) {
    cpSync(join(REPOSITORY, name), join(folder, name), { recursive: true });
  }
  symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  for (const name of readdirSync(join(folder, "sandbox"))) {
    if (name.endsWith(".ts")) appendFileSync(join(folder, "sandbox", name), `// ${Math.random()}\n`);
  }
  writeFileSync(join(folder, "example.ts"), EXAMPLE);
  // The host notices a lost first message only when it gives the worker up, after ten seconds.
  const { code, output } = await runCommand("deno", ["run", "-A", "--config", "deno.json", "example.ts"], {
    cwd: folder,
    timeoutMs: 8_000,
  });
  expect({ code, output }).toEqual({ code: 0, output: expect.stringContaining("true true") });
});
