/** Full disks and unwritable folders: a call that changes something is refused, because it cannot be recorded. */

import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host, type Log } from "../../../host/mod.ts";
import { createJournals } from "../../../host/platform/files/journals.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { hostTool } from "../../support/tools.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };
const CONFIG = { confirmation: { default: { write: "auto" } }, policy: { rules: [{ tool: "look", allow: true }] } };

interface Project {
  readonly host: Host;
  readonly audit: string;
  readonly done: string[];
}

async function open(maximumPages?: number): Promise<Project> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "bascule.json"), JSON.stringify(CONFIG));
  const done: string[] = [];
  const args = { type: "object", properties: { text: { type: "string" } } } as const;
  const { services, ...platform } = currentPlatform({ log: { level: "error" } });
  const host = await createHost({
    config: join(folder, "bascule.json"),
    logger: SILENT,
    // Without a service thread: its journals would not have the page limit.
    platform:
      maximumPages === undefined
        ? { ...platform, ...(services && { services }) }
        : { ...platform, journals: createJournals({ maximumPages }) },
    tools: [
      hostTool("put", { sideEffects: ["write"], inputSchema: args }, () => void done.push("put")),
      hostTool("look", { sideEffects: ["read"], inputSchema: args }, () => void done.push("look")),
    ],
  });
  onTestFinished(() => host.close());
  return { host, audit: join(folder, ".bascule/audit"), done };
}

const REFUSED = {
  ok: false,
  error: { code: "unavailable", message: expect.stringContaining("the audit journal cannot be written") as string },
};

describe("a call that changes something", () => {
  it("is refused, and has no effect, when SQLite reports a full disk; a read-only call runs [AU3.refused]", async () => {
    const { host, done } = await open(30);
    let puts = 0;
    let result = await host.call("put", { text: "x".repeat(20_000) });
    for (; result.ok && puts < 100; puts++) result = await host.call("put", { text: "x".repeat(20_000) });
    expect(result).toMatchObject(REFUSED);
    const before = done.length;
    expect(await host.call("put")).toMatchObject(REFUSED);
    expect(done).toHaveLength(before);
    expect(await host.call("look")).toMatchObject({ ok: true });
    expect(await host.audit.verify()).toMatchObject({ ok: true });
  });

  it("is refused while a file is in place of the journal's folder, and runs when the file is removed [AU3.refused]", async () => {
    const { host, audit, done } = await open();
    await mkdir(join(audit, ".."), { recursive: true });
    await writeFile(audit, "a file");
    expect(await host.call("put")).toMatchObject(REFUSED);
    expect(done).toEqual([]);
    await rm(audit);
    expect(await host.call("put")).toMatchObject({ ok: true });
    expect(done).toEqual(["put"]);
  });

  it("is refused once after the journal's folder was removed or replaced, then recorded in a new one [AU3.refused]", async () => {
    const { host, audit, done } = await open();
    expect(await host.call("put")).toMatchObject({ ok: true });
    await rename(audit, `${audit}.away`);
    // SQLite would write into the removed file, where the rows could not be read.
    expect(await host.call("put")).toMatchObject(REFUSED);
    expect(done).toEqual(["put"]);
    const { callId } = await host.call("put");
    expect(done).toEqual(["put", "put"]);
    const kept = await host.audit.search({ callId });
    expect(kept.map(({ event: { type } }) => type)).toEqual(["tool.called", "tool.completed"]);
  });

  it("is refused while the journal's end is damaged: no row is sealed after an unreadable one [AU3.refused] [AU3.damage]", async () => {
    const { host, audit, done } = await open();
    expect(await host.call("put")).toMatchObject({ ok: true });
    await host.close();
    const journals = createJournals();
    const file = journals.open(join(audit, "000000000001.db"), "append");
    file.append((last) => [{ number: (last?.number ?? 0) + 1, seal: "0".repeat(64), text: "{}" }]);
    file.close();
    const next = await createHost({
      config: join(audit, "../../bascule.json"),
      logger: SILENT,
      tools: [hostTool("put", { sideEffects: ["write"] }, () => void done.push("again"))],
    });
    onTestFinished(() => next.close());
    expect(await next.call("put")).toMatchObject(REFUSED);
    expect(done).toEqual(["put"]);
  });
});
