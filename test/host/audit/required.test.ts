/** `audit.required`: policy decides which calls are refused if they cannot be recorded first, with side effects or without. */

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host, type Log } from "../../../host/mod.ts";
import { parseProject } from "../../../manifests/mod.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { hostTool } from "../../support/tools.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };

interface Project {
  readonly host: Host;
  /** A file in place of the journal's folder. */
  readonly blocked: string;
  readonly done: string[];
}

async function open(config: object): Promise<Project> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "bascule.json"), JSON.stringify(config));
  const done: string[] = [];
  const host = await createHost({
    config: join(folder, "bascule.json"),
    logger: SILENT,
    tools: [
      hostTool("look", { sideEffects: ["read"] }, () => void done.push("look")),
      hostTool("add", { sideEffects: [] }, () => void done.push("add")),
    ],
  });
  onTestFinished(() => host.close());
  const blocked = join(folder, ".bascule/audit");
  await mkdir(join(blocked, ".."), { recursive: true });
  await writeFile(blocked, "a file");
  return { host, blocked, done };
}

const REFUSED = {
  ok: false,
  error: {
    code: "unavailable",
    message: `Tool 'look' is unavailable: the audit journal cannot be written, and policy requires a record of every call ("audit.required") (see the host's log)`,
  },
};

describe("audit.required", () => {
  it('lets read-only calls run without a record by default, and with "effects" [AU3.required]', async () => {
    for (const config of [{}, { audit: { required: "effects" } }]) {
      const { host, done } = await open(config);
      expect([(await host.call("look")).ok, (await host.call("add")).ok, done]).toEqual([true, true, ["look", "add"]]);
    }
  });

  it('refuses every call with "all", dry runs too, and runs them when the journal can be written again [AU3.required]', async () => {
    const { host, blocked, done } = await open({ audit: { required: "all" } });
    expect(await host.call("look")).toMatchObject(REFUSED);
    expect(await host.call("look", {}, { dryRun: true })).toMatchObject(REFUSED);
    expect(await host.call("add")).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(done).toEqual([]);
    await rm(blocked);
    const { ok, callId } = await host.call("look");
    expect([ok, done]).toEqual([true, ["look"]]);
    // The record is durable without a flush, because the caller got the result after it.
    expect(await host.audit.search({ callId })).toMatchObject([
      { event: { type: "tool.called", payload: { required: true } } },
      { event: { type: "tool.completed" } },
    ]);
  });

  it("is made stricter by a layer for its calls, and never weaker [AU3.layer]", async () => {
    const layers = [{ name: "auditors", level: "role", role: "auditor", audit: { required: "all" } }];
    const { host, done } = await open({ policy: { layers } });
    const auditor = host.session({ role: "auditor" });
    expect(await host.call("look", {}, { session: auditor })).toMatchObject(REFUSED);
    const nested = host.session({ parent: auditor, layers: [{ name: "weaker", audit: { required: "effects" } }] });
    expect(await host.call("look", {}, { session: nested })).toMatchObject(REFUSED);
    expect(await host.call("look")).toMatchObject({ ok: true });
    expect(done).toEqual(["look"]);

    const strict = await open({
      audit: { required: "all" },
      policy: { layers: [{ ...layers[0], level: "global", audit: { required: "effects" } }].map(({ role: _role, ...rest }) => rest) },
    });
    expect(await strict.host.call("look")).toMatchObject(REFUSED);
    expect(strict.done).toEqual([]);
  });

  it("is reported by `why` [AU3.why]", async () => {
    const { host } = await open({ audit: { required: "all" } });
    expect(host.why("look")?.text).toContain('  record   refused if it cannot be recorded first (audit.required "all")');
  });

  it.each([
    ["an unknown word", { audit: { required: "most" } }, '"required" is not one of "effects", "all"'],
    [
      '"all" with a disabled journal',
      { audit: { required: "all", store: false } },
      '"required" is "all", but with "store" false nothing is stored',
    ],
    ["an empty layer", { policy: { layers: [{ name: "a", level: "global", audit: {} }] } }, 'Audit has no "required"'],
  ])("is refused with %s [AU3.required]", (_what, config, message) => {
    expect(parseProject(JSON.stringify(config))).toMatchObject({ ok: false, problems: [{ message }] });
  });
});
