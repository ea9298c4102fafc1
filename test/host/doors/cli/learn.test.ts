import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type CliProject, createCliProject } from "./run-cli.ts";

async function project(): Promise<CliProject> {
  const made = await createCliProject({
    "bascule.json": "{}",
    "docs/a.md": "one\n",
    "docs/b.md": "two\n",
    "other/c.md": "three\n",
  });
  await made.run(["init", "words"]);
  return made;
}

interface Document {
  readonly permissions: object;
  readonly lines: readonly { readonly acts: number; readonly refused: number }[];
  readonly leftOut: readonly { readonly value: string; readonly reason: string }[];
  readonly unused: object;
  readonly command?: string;
}

async function learned(made: CliProject, ...args: readonly string[]): Promise<Document> {
  const { out, code } = await made.run(["learn", "words", "--json", ...args]);
  expect(code).toBe(0);
  return JSON.parse(out) as Document;
}

describe("bascule learn", () => {
  it("proposes from the journal what makes a refused call pass, and names unused permissions [P9.journal] [P9.unused]", async () => {
    await using made = await project();
    expect((await made.run(["learn", "words"])).out).toContain("no recorded calls");
    expect((await made.run(["call", "words_peek", "path=docs/a.md"])).code).not.toBe(0);
    const { permissions, command, lines } = await learned(made);
    expect(permissions).toEqual({ read: ["$workspace/docs/a.md"] });
    expect(lines).toMatchObject([{ acts: 1, refused: 1 }]);
    expect(command).toBe("bascule grant words --allow-read=docs/a.md");

    await made.run([...(command ?? "").split(" ").slice(1), "--allow-read=other"]);
    expect((await made.run(["call", "words_peek", "path=docs/a.md"])).code).toBe(0);
    const text = (await made.run(["learn", "words"])).out;
    expect(text).toMatch(/read \$workspace\/docs\/a\.md +3 acts, 1 of them refused +\(call [0-9a-f-]+\)/);
    expect(text).toMatch(/Granted, never used\n +read +\/.*\/other\n/);
  });

  it("runs a call within the maximum without grants, and refuses acts beyond it [P9.run] [P9.maximum]", async () => {
    await using made = await project();
    const within = await learned(made, "--allow-read=docs", "--", "call", "words_peek", "path=docs/a.md");
    expect(within).toMatchObject({ permissions: { read: ["$workspace/docs/a.md"] }, leftOut: [], unused: { manifest: [], grants: [] } });
    const beyond = await learned(made, "--allow-read=docs", "--", "call", "words_peek", "path=other/c.md");
    expect(beyond).toMatchObject({ permissions: {}, leftOut: [{ value: `${made.folder}/other/c.md`, reason: "beyond the maximum" }] });
    // The permissions applied to that run only.
    expect((await made.run(["call", "words_peek", "path=docs/a.md"])).code).not.toBe(0);
  });

  it("reads the maximum from a file, with paths relative to it [P9.maximum]", async () => {
    await using made = await project();
    await made.write("limits/max.json", JSON.stringify({ read: ["../docs"] }));
    const document = await learned(made, "--max=limits/max.json", "--", "call", "words_peek", "path=docs/a.md");
    expect(document.permissions).toEqual({ read: ["$workspace/docs/a.md"] });
    await made.write("limits/max.json", JSON.stringify({ reed: true }));
    expect((await made.run(["learn", "words", "--max=limits/max.json"])).error).toContain('did you mean "read"');
  });

  it("learns from the cases that expect success, and writes the manifest after the user agrees [P9.cases] [P9.write]", async () => {
    await using made = await project();
    const manifest = `${made.folder}/plugins/words/manifest.json`;
    const before = await readFile(manifest, "utf8");
    const declined = await made.run(["learn", "words", "--cases", "--write"], { answers: ["n"] });
    expect(declined.out).toContain('-         "$workspace"\n+         "$workspace/poem.txt"');
    expect(await readFile(manifest, "utf8")).toBe(before);
    expect((await made.run(["learn", "words", "--cases", "--write"])).error).toContain("--yes");
    await made.run(["learn", "words", "--cases", "--write"], { answers: ["y"] });
    expect(JSON.parse(await readFile(manifest, "utf8"))).toMatchObject({
      permissions: { read: { allow: ["$workspace/poem.txt"], reason: "Reads the file that you name" } },
    });
    // The cases pass with the learned permissions.
    expect((await made.run(["test", "words", "--filter", "words_peek"])).code).toBe(0);
  });

  it("learns the target of a link, because both paths are checked [P9.links] [PA4.learn]", async () => {
    await using made = await project();
    const { symlink } = await import("node:fs/promises");
    await symlink("../other/c.md", `${made.folder}/docs/link.md`);
    const { permissions, command } = await learned(made, "--", "call", "words_peek", "path=docs/link.md");
    expect(permissions).toEqual({ read: ["$workspace/other/c.md"] });
    await made.run((command ?? "").split(" ").slice(1));
    expect((await made.run(["call", "words_peek", "path=other/c.md"])).code).toBe(0);
  });
});
