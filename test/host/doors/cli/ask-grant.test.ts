import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCliProject, type CliProject } from "./run-cli.ts";

const MANIFEST = {
  ...{ schemaVersion: "1.0", name: "pen", version: "1.0.0", description: "Copies files" },
  permissions: { read: ["$workspace"], write: ["$workspace"] },
  tools: ["copy", "look", "say"].map((name) => ({
    ...{ name, description: `Does ${name}`, sideEffects: name === "copy" ? ["read", "write"] : ["read"] },
    inputSchema: { type: "object", properties: { from: { type: "string" }, to: { type: "string" } } },
  })),
};
const CODE = `export const copy = async ({ from, to }: Record<string, string>) => {
  await Deno.writeTextFile(to, "begun");
  await Deno.writeTextFile(to, await Deno.readTextFile(from));
  return "copied";
};
export const look = async ({ from }: Record<string, string>) => [...(await Deno.readTextFile(from)), from].length;
export async function* say({ from }: Record<string, string>) {
  yield "reading\\n";
  await Deno.readTextFile(from);
}
`;

async function pen(config = {}): Promise<CliProject> {
  return await createCliProject({
    "bascule.json": JSON.stringify({ confirmation: { perTool: { "pen.copy": "auto" } }, ...config }),
    "plugins/pen/manifest.json": JSON.stringify(MANIFEST),
    "plugins/pen/main.ts": CODE,
    "a.txt": "abc",
    "notes/b.txt": "b",
  });
}

const question = (what: string): string => `grant ${what} to pen? [y]es once / [a]lways / [n]o `;
const noGrants = "No grants. bascule list shows what plugins request\n";

async function eventsOf(project: CliProject, type: string): Promise<readonly { readonly payload: object }[]> {
  const { out } = await project.run(["audit", "search", `--type=${type}`, "--json"]);
  return (JSON.parse(out) as { events: { event: { payload: object } }[] }).events.map(({ event }) => event);
}

describe("a denied call at a terminal", () => {
  it("offers the smallest grant, and runs again with it for this call only [DI6.once] [C3.once]", async () => {
    await using project = await pen();
    const words = ["call", "look", "from=a.txt"];
    const asked = 'denied NotCapable: Requires read access to "a.txt"\n';
    expect(await project.run(words, { answers: ["y"] })).toEqual({ code: 0, out: "4\n", error: asked + question("read of a.txt") });
    expect((await project.run(["grants"])).out).toBe(noGrants);
    const [called, again] = await eventsOf(project, "tool.called");
    expect([called?.payload, again?.payload]).toEqual([
      expect.not.objectContaining({ callGrant: expect.anything() }),
      expect.objectContaining({ callGrant: { read: ["$workspace/a.txt"] } }),
    ]);
    // The next call asks again.
    expect(await project.run(words, { answers: ["n"] })).toMatchObject({ code: 4, error: expect.stringContaining(asked) });
  });

  it("stores the grant for always, records it, and says in one line what was granted and how to take it back [DI6.always]", async () => {
    await using project = await pen();
    const { code, out, error } = await project.run(["call", "look", "from=a.txt"], { answers: ["a"], program: "npx bascule" });
    const undo = "revoke pen --allow-read=a.txt";
    expect([code, out, error.split("\n", 2)[1]]).toEqual([
      ...[0, "4\n"],
      `${question("read of a.txt")}Granted: pen may read a.txt. Undo: npx bascule ${undo}`,
    ]);
    expect((await project.run(["grants"])).out).toBe("pen  may read a.txt\n");
    expect(await eventsOf(project, "grant.changed")).toHaveLength(1);
    expect(await project.run(["call", "look", "from=a.txt"], { answers: [] })).toEqual({ code: 0, out: "4\n", error: "" });
    expect(await project.run(undo.split(" "))).toMatchObject({ code: 0 });
    expect((await project.run(["grants"])).out).toBe(noGrants);
  });

  it("asks for one grant after the other, keeps earlier answers, and says what a folder covers [DI6.several]", async () => {
    await using project = await pen();
    const outcome = await project.run(["call", "copy", "from=notes", "to=c.txt"], { answers: ["y", "y", "y"] });
    const both = [question("write of c.txt"), question("read of notes (a folder, with everything below)")];
    expect(both.filter((text) => !outcome.error.includes(text))).toEqual([]);
    expect(outcome).toMatchObject({ code: 1, error: expect.stringContaining("tool_failed IsADirectory") });
  });

  it("offers what the plugin requests if a call that asks first can do nothing yet [DI6.several]", async () => {
    await using project = await pen({ confirmation: {} });
    const outcome = await project.run(["call", "copy", "from=a.txt", "to=c.txt"], { answers: ["y", "n"] });
    expect([outcome.code, outcome.error]).toEqual([
      4,
      expect.stringMatching(
        /^denied Requires write access[^]*grant write of \. \(a folder, with everything below\) to pen\?[^]*Allow it\? /u,
      ),
    ]);
  });

  it("does not run a call twice in silence that changed or wrote something [DI6.twice]", async () => {
    await using project = await pen();
    await project.run(["grant", "pen", "--allow-write=c.txt"]);
    const words = ["call", "copy", "from=a.txt", "to=c.txt"];
    const note = "note The call changed 1 file (c.txt) before it was denied\nRun it again from the start? [y/N] ";
    const kept = await project.run(words, { answers: ["y", "n"] });
    expect([kept.code, kept.error]).toEqual([4, expect.stringContaining(question("read of a.txt") + note)]);
    expect(await readFile(join(project.folder, "c.txt"), "utf8")).toBe("begun");
    expect(await project.run(words, { answers: ["y", "y"] })).toMatchObject({ code: 0, out: "copied\n" });
    expect(await readFile(join(project.folder, "c.txt"), "utf8")).toBe("abc");
    const said = await project.run(["call", "say", "from=a.txt"], { answers: ["y", "n"] });
    expect([said.out, said.error]).toEqual(["reading\n", expect.stringContaining("note The call wrote output before it was denied\n")]);
  });

  it("offers the same at the terminal of a command that uses a running host [DI6.running]", async () => {
    await using project = await pen();
    const dev = project.start(["dev", "--no-tests"]);
    await dev.waitFor("Press Ctrl-C");
    const { code, out, error } = await project.run(["call", "look", "from=a.txt"], { answers: ["y"] });
    expect({ code, out, error }).toEqual({ code: 0, out: "4\n", error: expect.stringContaining(question("read of a.txt")) });
    expect((await project.run(["grants"])).out).toBe(noGrants);
    expect(await project.run(["call", "look", "from=a.txt"], { answers: ["always"] })).toMatchObject({ code: 0, out: "4\n" });
    expect((await project.run(["grants"])).out).toBe("pen  may read a.txt\n");
  });

  it.each([
    ["with --json", ["--json"], {}, ["y"]],
    ["with --no-input", ["--no-input"], {}, ["y"]],
    ["without a terminal", [], {}, undefined],
    ["for what a flag denies", ["--deny-read=a.txt"], {}, ["y"]],
    ["for what policy denies", [], { policy: { layers: [{ level: "global", name: "no-files", permissions: { read: [] } }] } }, ["y"]],
  ] as const)("offers nothing %s [DI6.never]", async (_when, flags, config, answers) => {
    await using project = await pen(config);
    const outcome = await project.run(["call", "look", "from=a.txt", ...flags], answers === undefined ? {} : { answers });
    expect(`${outcome.code} ${outcome.out}${outcome.error}`).toMatch(/^[14] (?![^]*\[y\]es once)[^]*Requires read access/u);
  });

  it("writes out characters that a terminal interprets, and names the folder if a name can have no grant of its own [DI6.inert]", async () => {
    await using project = await pen();
    const { error } = await project.run(["call", "look", "from=a\x1b[2Jb\u202e.txt"], { answers: ["n"] });
    expect(error).toContain(`to "a\\x1b[2Jb\\u{202e}.txt"\n${question("read of . (a folder, with everything below)")}`);
    expect(error).not.toMatch(/[\x1b\u202e]/u);
  });
});
