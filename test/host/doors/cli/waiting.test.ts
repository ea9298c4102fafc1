import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

const MANIFEST = {
  ...{ schemaVersion: "1.0", name: "rest", version: "1.0.0", description: "Rests" },
  tools: [{ name: "nap", description: "Sleeps for a minute", inputSchema: { type: "object" }, sideEffects: [] }],
  limits: { wallMs: 120_000 },
};

describe("bascule waiting", () => {
  it("lists, shows and cancels the calls that survive the host [FR4.waiting]", { timeout: 60_000 }, async () => {
    await using project = await createCliProject({
      "bascule.json": '{ "plugins": ["plugins"] }',
      "plugins/rest/manifest.json": JSON.stringify(MANIFEST),
      "plugins/rest/main.ts": "export const nap = () => new Promise((resolve) => setTimeout(resolve, 60_000));",
    });
    const dev = project.start(["dev"]);
    await dev.waitFor("rest");
    await expect.poll(async () => (await project.run(["waiting"])).out, { timeout: 20_000 }).toBe("No call waits\n");
    const nap = project.start(["call", "nap"]);
    await expect.poll(async () => (await project.run(["waiting"])).out, { timeout: 20_000 }).toContain("1 call waits\n");
    const listed = JSON.parse((await project.run(["waiting", "--json"])).out);
    expect(listed).toMatchObject({ ok: true, waiting: [{ tool: "rest.nap", waitsFor: "sleep", hasBegun: true }] });
    const [{ callId }] = listed.waiting;
    const shown = await project.run(["waiting", callId]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/tool {6}rest\.nap\n.*begun {5}yes, \d+ bytes are kept\n/su) });
    expect(await project.run(["waiting", callId, "--cancel"])).toMatchObject({ code: 0, out: "cancelled rest.nap\n" });
    expect((await nap.ended).error).toContain("cancelled");
    expect((await project.run(["waiting"])).out).toBe("No call waits\n");
    expect((await project.run(["waiting", callId])).code).not.toBe(0);
    dev.interrupt();
    await dev.ended;
  });
});
