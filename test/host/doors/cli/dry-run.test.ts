import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { shortId } from "../../../../host/doors/cli/id-meant.ts";
import { type CliProject, createCliProject } from "./run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "tidy",
  version: "1.0.0",
  description: "Tidies",
  permissions: { read: ["$workspace"], write: ["$workspace"] },
  tools: [{ name: "tidy", description: "Tidies", inputSchema: { type: "object" }, sideEffects: ["read", "write"] }],
};
const MAIN = `export async function tidy() {
  await Deno.writeTextFile("notes.txt", (await Deno.readTextFile("notes.txt")).trimEnd() + "\\r\\n\\u001b[2Jdone\\n");
  return "tidied";
}`;
const SENDER = {
  schemaVersion: "1.0",
  name: "sender",
  version: "1.0.0",
  description: "Sends",
  permissions: { net: ["127.0.0.1:18999"] },
  tools: [{ name: "send", description: "Sends", inputSchema: { type: "object" }, sideEffects: ["network"] }],
};
const FLAGS = ["--allow-read", "--allow-write"];
const BEFORE = "one\ntwo   \n";
const AFTER = "one\ntwo\r\n\u001b[2Jdone\n";

describe("bascule call --dry-run, and undo", { timeout: 120_000 }, () => {
  let project: CliProject;
  const notes = (): Promise<string> => readFile(join(project.folder, "notes.txt"), "utf8");
  beforeAll(async () => {
    project = await createCliProject({
      "plugins/tidy/manifest.json": JSON.stringify(MANIFEST),
      "plugins/tidy/main.ts": MAIN,
      "notes.txt": BEFORE,
      "plugins/sender/manifest.json": JSON.stringify(SENDER),
      "plugins/sender/main.ts": `export const send = () => fetch("http://127.0.0.1:18999/", { method: "POST" }).then(() => "sent", () => "held");`,
    });
  }, 120_000);
  afterAll(async () => await project[Symbol.asyncDispose]());

  it("shows an inert diff, commits when the user agrees, and undo shows and restores the changes [E8.cli] [I2.undo]", async () => {
    const shown = await project.run(["call", "tidy", "--dry-run", ...FLAGS], { answers: ["n"] });
    expect(shown).toMatchObject({ code: 0, out: "tidied\n" });
    expect(shown.error).toContain("modified  notes.txt");
    expect(shown.error).toContain("-two   \n    +two\\r\n    +\\x1b[2Jdone\n");
    expect(shown.error).toContain("Apply it? [y/N]");
    expect(await notes()).toBe(BEFORE);

    const applied = await project.run(["call", "tidy", "--dry-run", "--json", ...FLAGS], { answers: ["y"] });
    const { callId, committed, dryRun } = JSON.parse(applied.out);
    expect([committed, dryRun.changes.length]).toEqual([{ ok: true, callId, filesModified: ["notes.txt"] }, 1]);
    expect(await notes()).toBe(AFTER);

    expect((await project.run(["undo", "--list"])).out).toBe(`${shortId(callId, [])}  just now  tidy.tidy\n`);
    expect((await project.run(["undo", callId, "--dry-run"])).out).toContain("+two   \n");
    expect(await notes()).toBe(AFTER);
    expect(await project.run(["undo", callId])).toMatchObject({ code: 0, out: "undone  tidy.tidy, 1 change\n  notes.txt\n" });
    expect(await notes()).toBe(BEFORE);
    expect(await project.run(["undo", callId])).toMatchObject({ code: 3, error: expect.stringContaining("undo --list") });
    // Nothing is left to undo.
    expect((await project.run(["undo"])).code).toBe(3);
  });

  it("applies without asking only if the tool runs without confirmation [E8.apply]", async () => {
    const refused = await project.run(["call", "tidy", "--dry-run", "--apply", ...FLAGS]);
    const message = "tidy.tidy needs confirmation, and no terminal is attached to ask on";
    expect([refused.code, refused.error]).toEqual([4, expect.stringContaining(`not applied  ${message}\n`)]);
    const json = await project.run(["call", "tidy", "--dry-run", "--apply", "--json", ...FLAGS]);
    const { callId, ok, committed } = JSON.parse(json.out);
    expect([json.code, ok, committed]).toEqual([4, false, { ok: false, callId, code: "refused", message, filesModified: [] }]);
    expect((await project.run(["call", "tidy", "--dry-run", "--apply", ...FLAGS], { answers: ["n"] })).code).toBe(4);
    expect(await notes()).toBe(BEFORE);
    await project.write("bascule.json", JSON.stringify({ confirmation: { perTool: { tidy: "auto" } } }));
    expect((await project.run(["call", "tidy", "--dry-run", "--apply", ...FLAGS])).error).toContain("applied  1 change");
    expect(await notes()).toBe(AFTER);
  });

  it("applies nothing if a request was held, and explains why [E8.apply]", async () => {
    await project.write("bascule.json", JSON.stringify({ confirmation: { perTool: { send: "auto" } } }));
    const held = await project.run(["call", "send", "--dry-run", "--apply", "--json", "--allow-net=127.0.0.1:18999"]);
    const { callId, ok, committed } = JSON.parse(held.out);
    const message = "requests with side effects were not sent, so the effect of the call is unknown";
    expect([held.code, ok, committed]).toEqual([1, false, { ok: false, callId, code: "unknown", message, filesModified: [] }]);
    expect((await project.run(["call", "send", "--dry-run", "--allow-net=127.0.0.1:18999"])).code).toBe(0);
    await project.write("bascule.json", JSON.stringify({ confirmation: { perTool: { tidy: "auto" } } }));
  });

  it("does not report undone if a change is left, exits with 1, and restores it with --force [E8.undo-cli] [I2.undo]", async () => {
    await project.write("notes.txt", BEFORE);
    const { callId } = JSON.parse((await project.run(["call", "tidy", "--json", ...FLAGS])).out);
    await project.write("notes.txt", "mine");
    const lines = [
      "not undone  tidy.tidy, 0 changes",
      "  left  notes.txt: it was changed after the call",
      `  bascule undo ${callId} --force restores the state before the call and discards later changes`,
    ];
    expect(await project.run(["undo", callId])).toMatchObject({ code: 1, out: `${lines.join("\n")}\n` });
    const json = await project.run(["undo", callId, "--json"]);
    expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { ok: false, restored: [], left: [{ path: "notes.txt" }] }]);
    expect(await notes()).toBe("mine");
    expect(await project.run(["undo", callId, "--force"])).toMatchObject({ code: 0, out: "undone  tidy.tidy, 1 change\n  notes.txt\n" });
    expect(await notes()).toBe(BEFORE);
  });

  it("commits by its id, or the beginning of it, a call that a rule turned into a dry run in the running host [E8.commit-command] [I2.prefix]", async () => {
    await project.write("notes.txt", BEFORE);
    await project.write("bascule.json", JSON.stringify({ policy: { rules: [{ tool: "tidy", dryRun: true }] } }));
    const host = project.start(["dev", ...FLAGS]);
    await host.waitFor("Press Ctrl-C");
    const { callId } = JSON.parse((await project.run(["call", "tidy", "--json"])).out);
    expect(await notes()).toBe(BEFORE);
    await host.waitFor("done     tidy.tidy (dry run)  ");
    const { out } = await project.run(["audit", "search", "--call", callId]);
    expect([...out.matchAll(/(tool\.\w+) +tidy\.tidy {2}dry run/g)].map(([, type]) => type)).toEqual(["tool.called", "tool.completed"]);
    const { events } = JSON.parse((await project.run(["audit", "search", "--call", callId, "--json"])).out);
    const session = String(events[0].event.sessionId);
    for (const id of [session, session.slice(0, -1)])
      expect((await project.run(["audit", "session", id])).out).toContain(`${callId}  tidy.tidy (dry run)  completed`);
    expect(await project.run(["audit", "session", "ffff"])).toMatchObject({
      code: 3,
      error: expect.stringContaining('Unknown session "ffff"'),
    });
    expect(await project.run(["commit", callId, "--hash", "x"])).toMatchObject({ code: 3 });
    expect(await project.run(["commit", "ffff"])).toMatchObject({ code: 3, error: expect.stringContaining('Unknown dry run "ffff"') });
    expect(await project.run(["commit", String(callId).slice(0, -1)])).toMatchObject({ code: 0, out: "applied  1 change\n" });
    expect(await notes()).toBe(AFTER);
    expect(await project.run(["undo", callId])).toMatchObject({ code: 0 });
    expect(await notes()).toBe(BEFORE);
    host.interrupt();
    await host.ended;
  });
});
