import { describe, expect, it } from "vitest";
import { createCliProject } from "./run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "pages",
  version: "1.0.0",
  description: "Counts pages",
  state: "session",
  tools: [{ name: "next_page", description: "Returns the next page", inputSchema: { type: "object" }, sideEffects: [] }],
};

describe("bascule call --session", () => {
  it("continues the state of the session with that name in the running host, and starts others afresh [AX3.session]", async () => {
    await using project = await createCliProject({
      "bascule.json": '{ "plugins": ["plugins"] }',
      "plugins/pages/manifest.json": JSON.stringify(MANIFEST),
      "plugins/pages/main.ts": "let page = 0; export function next_page() { return ++page; }",
    });
    const next = async (...more: string[]): Promise<string> => (await project.run(["call", "next_page", ...more])).out.trim();
    expect(await project.run(["call", "next_page", "--session", "a"])).toMatchObject({
      ...{ code: 0, out: "1\n", error: expect.stringContaining("no host is running here, so the session ends with this call") },
    });
    const dev = project.start(["dev"]);
    await dev.waitFor("pages");
    await expect.poll(async () => (await project.run(["call", "next_page"])).error).toContain("using the host running");
    expect([await next("--session", "a"), await next("--session", "a"), await next("--session", "b"), await next()]).toEqual([
      "1",
      "2",
      "1",
      "1",
    ]);
    expect(await next("--session", "a", "--read-only")).toBe("1");
    expect(await next("--session", "a")).toBe("3");
    expect(await project.run(["call", "next_page", "--session", "a b"])).toMatchObject({
      ...{ code: 2, error: expect.stringContaining('Option "--session" must be a name of letters, digits') },
    });
    dev.interrupt();
    await dev.ended;
  });
});
