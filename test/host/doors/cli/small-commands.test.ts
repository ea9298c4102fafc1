import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CliError } from "../../../../host/doors/cli/cli-error.ts";
import { idMeant, shortId } from "../../../../host/doors/cli/id-meant.ts";
import { createCliProject, type CliProject } from "./run-cli.ts";

const WRITER = {
  ...{ schemaVersion: "1.0", name: "notes", version: "1.0.0", description: "Keeps notes", permissions: { write: ["$workspace"] } },
  tools: [
    {
      ...{ name: "note", description: "Writes a note into a file", sideEffects: ["write"] },
      inputSchema: { type: "object", properties: { text: { type: "string" } } },
    },
    { name: "csv_rows", description: "Counts the rows of a table", inputSchema: { type: "object" }, sideEffects: [] },
    { name: "rows", description: "Reads rows of CSV text", inputSchema: { type: "object" }, sideEffects: [] },
  ],
};

function notes(): Promise<CliProject> {
  return createCliProject({
    "plugins/notes/manifest.json": JSON.stringify(WRITER),
    "plugins/notes/main.ts": `export const note = async ({ text }: { text: string }) => {
  if (text === "wrong") throw new TypeError("not this text");
  await Deno.writeTextFile("note.txt", text);
  return { wrote: text };
};
export const csv_rows = () => 1;
export const rows = () => 1;
`,
  });
}

describe("idMeant()", () => {
  const named = [
    { id: "019a1111-aaaa", atMs: 0, about: "notes.one" },
    { id: "019a1112-bbbb", atMs: 1_000, about: "notes.two" },
  ];
  const fails = (written: string): unknown => {
    try {
      return idMeant(written, named, "call", "bascule undo --list lists the calls");
    } catch (error) {
      if (error instanceof CliError) return { code: error.code, message: error.message, hints: error.hints };
      throw error;
    }
  };

  it("takes a whole id, or a beginning that only one id has [I2.prefix]", () => {
    expect([fails("019a1111-aaaa"), fails("019a1112"), fails("019A1112")]).toEqual(["019a1111-aaaa", "019a1112-bbbb", "019a1112-bbbb"]);
  });

  it("lists the ids that begin alike, with their times, and refuses a beginning that is too short [I2.prefix]", () => {
    expect(fails("019a111")).toEqual({
      code: "ambiguous",
      message: '"019a111" is the beginning of 2 ids',
      hints: ["019a1111-aaaa  1970-01-01T00:00:00.000Z  notes.one", "019a1112-bbbb  1970-01-01T00:00:01.000Z  notes.two"],
    });
    expect(fails("019")).toEqual({
      ...{ code: "not_found", message: '"019" is too short for the beginning of an id', hints: ["Write at least 4 characters"] },
    });
    expect(fails("02")).toEqual({ code: "not_found", message: 'Unknown call "02"', hints: ["bascule undo --list lists the calls"] });
  });
});

describe("small commands", () => {
  it("undoes the last call after showing its age and what changes, and calls by the beginning of their id [I2.undo] [E8.last] [DI6.undo]", async () => {
    await using project = await notes();
    const text = (): Promise<string> => readFile(join(project.folder, "note.txt"), "utf8").catch(() => "");
    expect((await project.run(["undo"])).error).toContain("No call can be undone");
    for (const word of ["first", "second"]) {
      const args = ["call", "note", `text=${word}`, "--allow-write=."];
      expect(await project.run(args, { answers: ["y"] })).toMatchObject({ code: 0 });
    }
    const { calls } = JSON.parse((await project.run(["undo", "--list", "--json"])).out) as {
      readonly calls: readonly { readonly callId: string }[];
    };
    const [last = { callId: "" }, first = { callId: "" }] = calls;
    expect(await project.run(["undo"])).toMatchObject({ code: 2, error: expect.stringContaining("Give --yes to continue") });
    const denied = await project.run(["undo"], { answers: ["n"] });
    const short = shortId(last.callId, [first.callId]);
    expect(short.length).toBeLessThan(24);
    expect(denied).toEqual({
      code: 4,
      out: `The last call was notes.note, just now, ${short}. Undoing it makes these changes:
  modified  note.txt  6 bytes → 5 bytes
    @@ -1,1 +1,1 @@
    -second
    \\ No newline at end of file
    +first
    \\ No newline at end of file
Nothing was undone
`,
      error: "Undo notes.note? [y/N] ",
    });
    expect((await project.run(["undo", "--list"])).out.split("\n")[0]).toBe(`${short}  just now  notes.note`);
    expect(await text()).toBe("second");
    expect(await project.run(["undo", "--yes"])).toMatchObject({ code: 0 });
    expect(await text()).toBe("first");
    expect(await project.run(["undo", first.callId.slice(0, -1)])).toMatchObject({ code: 0 });
    expect(await text()).toBe("");
  });

  it("shows the result of a call that it approved, and the error of one that failed [I2.approve] [E5.result]", async () => {
    await using project = await notes();
    const dev = project.start(["dev", "--no-tests", "--allow-write=."]);
    await dev.waitFor("Press Ctrl-C");
    const approve = async (text: string): Promise<object> => {
      await project.run(["call", "note", `text=${text}`]);
      const id = / {2}([0-9a-f-]{36})\n/u.exec((await project.run(["approve"])).out)?.[1] ?? "";
      return await project.run(["approve", id.slice(0, -2)], { answers: ["y"] });
    };
    expect(await approve("one")).toMatchObject({ code: 0, out: expect.stringMatching(/approved\n\{\n {2}"wrote": "one"\n\}\n$/u) });
    expect(await approve("wrong")).toMatchObject({ code: 1, error: expect.stringContaining("tool_failed TypeError: not this text\n") });
  });

  it("finds tools by their words, names first [I2.search]", async () => {
    await using project = await notes();
    const { out } = await project.run(["search", "rows", "csv"]);
    expect(out).toBe("csv_rows  Counts the rows of a table\nrows      Reads rows of CSV text\n");
    expect(await project.run(["search", "nothing-has-this"])).toMatchObject({ code: 3, out: "No tool has this word\n" });
    const { tools, total } = JSON.parse((await project.run(["search", "note", "--limit=1", "--json"])).out) as {
      readonly tools: readonly { readonly name: string }[];
      readonly total: number;
    };
    expect([tools.map(({ name }) => name), total]).toEqual([["note"], 3]);
  });

  it("lists one plugin, and suggests the nearest name [I2.list]", async () => {
    await using project = await notes();
    await project.run(["init", "other"]);
    const { out } = await project.run(["list", "notes"]);
    expect(out).toMatch(/^notes 1\.0\.0/u);
    expect(out).not.toContain("other");
    expect(await project.run(["list", "note"])).toMatchObject({ code: 3, error: expect.stringContaining("Did you mean notes?") });
  });

  it("removes a plugin by the other name of remove [I2.uninstall]", async () => {
    await using project = await notes();
    expect(await project.run(["uninstall", "notes", "--yes"])).toMatchObject({ code: 0, out: "Removed notes\n" });
    expect((await project.run(["list"])).out).toContain("No plugins found");
  });
});
