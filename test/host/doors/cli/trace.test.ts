import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CliProject, createCliProject } from "./run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "words",
  version: "1.0.0",
  description: "Counts",
  permissions: { read: ["$workspace"] },
  tools: [
    {
      name: "count_words",
      description: "Counts words",
      inputSchema: { type: "object", properties: { path: { type: "string" }, turns: { type: "integer" } } },
      sideEffects: ["read"],
    },
  ],
};
const MAIN = `function spin(turns: number): number { let n = 0; while (n < turns) n++; return n; }
export async function count_words({ path = "a.txt", turns = 0 }: { path?: string; turns?: number }) {
  spin(turns);
  return (await Deno.readTextFile(path)).split(" ").length;
}
`;
const FILES = { "plugins/words/manifest.json": JSON.stringify(MANIFEST), "plugins/words/main.ts": MAIN, "a.txt": "one two three" };

interface Traced {
  readonly callId: string;
  readonly trace?: unknown;
  readonly profile?: unknown;
}

describe("bascule trace", { timeout: 120_000 }, () => {
  let project: CliProject;
  let callId: string;

  async function record(...flags: readonly string[]): Promise<Traced> {
    const { code, out, error } = await project.run(["call", "count_words", "--allow-read", "--json", ...flags]);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    return JSON.parse(out) as Traced;
  }

  beforeAll(async () => {
    project = await createCliProject(FILES);
    ({ callId } = await record("--record"));
  }, 120_000);
  afterAll(async () => await project[Symbol.asyncDispose]());

  it("shows a call by its id, its beginning or as last, as a table and as JSON [AX7.trace] [AX7.cli]", async () => {
    const { out, code } = await project.run(["trace", callId]);
    expect(code).toBe(0);
    expect(out.replace(/ +/g, " ")).toMatch(
      /^start time host wait operation result from\n [\d.]+ [\d.]+ [\d.]+ [\d.]+ fs\.readFile path=a\.txt 13 B main\.ts:4:34\n1 operation: [\d.]+ ms at the host, [\d.]+ ms waiting\n$/,
    );
    const document: unknown = JSON.parse((await project.run(["trace", callId.slice(0, -2), "--json"])).out);
    expect(document).toMatchObject({
      ...{ ok: true, callId, tool: "words.count_words" },
      trace: [{ place: 1, name: "fs.readFile", args: { path: "a.txt" }, resultBytes: 13, outcome: "ok", at: "main.ts:4:34" }],
    });
    expect(JSON.parse((await project.run(["trace", "last", "--json"])).out)).toEqual(document);
  });

  it("is part of a call with --trace and --profile, beside the result [AX7.cli]", async () => {
    const { trace, profile } = await record("--trace", "--profile", "turns=300000");
    expect(trace).toMatchObject([{ name: "fs.readFile", at: "main.ts:4:34" }]);
    expect(profile).toMatchObject({ functions: expect.arrayContaining([expect.objectContaining({ name: "spin", place: "main.ts:1:1" })]) });
    const { out, error } = await project.run(["call", "count_words", "--allow-read", "--trace"]);
    expect(out).toBe("3\n");
    expect(error).toContain("fs.readFile path=a.txt");
  });

  it("writes a profile that Chrome reads [AX7.profile] [AX7.cli]", async () => {
    await record("--record", "turns=300000");
    expect((await project.run(["trace", "last", "--profile", "--profile-out", "p.cpuprofile"])).out).toContain("spin");
    const written = JSON.parse(await readFile(join(project.folder, "p.cpuprofile"), "utf8")) as Readonly<
      Record<string, readonly unknown[]>
    >;
    expect(Object.keys(written)).toEqual(["nodes", "startTime", "endTime", "samples", "timeDeltas"]);
    expect(written["samples"]?.length).toBe(written["timeDeltas"]?.length);
  });

  it("names what to do if the call is not recorded, or several begin alike [AX7.cli]", async () => {
    expect(await project.run(["trace", "nothing"])).toMatchObject({ code: 3, error: expect.stringContaining("--record records a call") });
    await record("--record");
    expect(await project.run(["trace", callId.slice(0, 4)])).toMatchObject({
      code: 1,
      error: expect.stringContaining(`"${callId.slice(0, 4)}" is the beginning of `),
    });
    expect(await project.run(["trace", callId.slice(0, 2)])).toEqual({
      ...{ code: 3, out: "" },
      error: `error "${callId.slice(0, 2)}" is too short for the beginning of an id\n  Write at least 4 characters\n`,
    });
    expect(await project.run(["replay", "last", "--with", "other"])).toMatchObject({
      code: 2,
      error: expect.stringContaining("takes current"),
    });
  });

  it("compares a recorded call with the code as it is now [AX7.current] [AX7.cli]", async () => {
    const same = await project.run(["replay", callId, "--with", "current"]);
    expect(same).toMatchObject({ code: 0, out: expect.stringMatching(/^same words\.count_words .*\n3\n$/) });
    await project.write(
      "plugins/words/main.ts",
      MAIN.replace('split(" ")', 'split("")').replace("  return", "  await Deno.stat(path);\n  return"),
    );
    const { code, out } = await project.run(["replay", callId, "--with", "current"]);
    expect(code).toBe(1);
    expect(out).toContain(
      'Operation 1 is the first that differs\n- fs.readFile {"path":"a.txt"}  main.ts:4:34\n+ fs.stat {"path":"a.txt"}  main.ts:4:18',
    );
    expect(out).toContain("Not recorded, and not run: 1");
    await project.write("plugins/words/main.ts", MAIN.replace('split(" ")', 'split("")'));
    expect((await project.run(["replay", callId, "--with", "current"])).out).toContain("The result differs\n- 3\n+ 13\n");
    await project.write("plugins/words/main.ts", MAIN);
  });
});
