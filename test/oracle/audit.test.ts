import { mkdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createHost } from "../../host/mod.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { prepareFolder, runDeno } from "./deno-answer.ts";

const ACTS = `try { Deno.readTextFileSync("docs/a.md"); } catch {} try { Deno.readTextFileSync("/elsewhere/b.md"); } catch {} try { Deno.env.get("APP_X"); } catch {}`;

const MANIFEST = {
  schemaVersion: "1.0",
  name: "demo",
  version: "1.0.0",
  description: "Acts, to be seen in the audit",
  permissions: { read: ["$workspace/docs"], env: ["APP_X"] },
  tools: [{ name: "act", description: "Acts", inputSchema: { type: "object" }, sideEffects: ["read"] }],
};

describe("capability events", () => {
  it("are a superset of Deno's permission audit line [PA8]", { timeout: 60_000 }, async () => {
    const folder = await temporaryFolder();
    await prepareFolder(folder);
    await mkdir(`${folder}/docs`);
    await writeFile(`${folder}/docs/a.md`, "text");
    await writeFile(`${folder}/acts.mjs`, ACTS);
    await runDeno(["--quiet", "--no-prompt", "--no-config", "--allow-read=docs", "acts.mjs"], folder, {
      DENO_AUDIT_PERMISSIONS: `${folder}/audit.jsonl`,
    });
    const lines = (await readFile(`${folder}/audit.jsonl`, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);

    await mkdir(`${folder}/plugins/demo`, { recursive: true });
    await writeFile(`${folder}/plugins/demo/manifest.json`, JSON.stringify(MANIFEST));
    await writeFile(`${folder}/plugins/demo/main.ts`, `export function act() { ${ACTS} }`);
    await using host = await createHost({
      plugins: `${folder}/plugins`,
      workspace: folder,
      config: false,
      grants: { demo: { read: ["$workspace/docs"] } },
    });
    const seen: object[] = [];
    const events = host.events[Symbol.asyncIterator]();
    const result = await host.call("act", {});
    for (let next = await events.next(); next.done !== true; next = await events.next()) {
      const { type, payload } = next.value;
      if (type === "capability.used" || type === "capability.denied") seen.push(payload);
      if (type === "tool.completed" || type === "tool.failed") break;
    }
    await events.return?.();

    expect(lines.map(shapeOf)).toEqual([
      ["read", "docs/a.md"],
      ["read", "/elsewhere/b.md"],
      ["env", "APP_X"],
    ]);
    // The value is the full path that was checked.
    expect(seen.map(shapeOf)).toEqual([
      ["read", `${folder}/docs/a.md`],
      ["read", "/elsewhere/b.md"],
      ["env", "APP_X"],
    ]);
    for (const [index, line] of lines.entries()) expect(Object.keys(seen[index] ?? {})).toEqual(expect.arrayContaining(Object.keys(line)));
    const ours = { plugin: "demo", callId: result.callId };
    expect(seen).toEqual([
      expect.objectContaining({ ...ours, v: 1, decision: "granted", layer: "manifest", rule: "$workspace/docs" }),
      expect.objectContaining({ ...ours, v: 1, decision: "denied", layer: "manifest" }),
      expect.objectContaining({ ...ours, v: 1, decision: "denied", layer: "user grant" }),
    ]);
  });
});

/** Fields that both events have, once the event has Deno's form. */
function shapeOf(line: object): unknown {
  const { v, datetime, permission, value } = line as Readonly<Record<string, unknown>>;
  expect([v, String(datetime)]).toEqual([1, expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/)]);
  return [permission, value];
}
