import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imageSequence } from "../../../../host/doors/cli/result-file.ts";
import { tableOf } from "../../../../host/doors/cli/table.ts";
import { createStyle } from "../../../../host/primitives/style.ts";
import { type CliProject, createCliProject } from "./run-cli.ts";

const NAMES = ["words", "rows", "both", "fails", "picture", "bytes", "table", "people"];
const MANIFEST = {
  schemaVersion: "1.0",
  name: "shows",
  version: "1.0.0",
  description: "Shows what results look like",
  tools: NAMES.map((name) => ({ name, description: name, inputSchema: { type: "object" }, sideEffects: [] })),
};
const MAIN = `
export async function* words() { for (const word of ["one ", "two\\n", "\\u001b[2Jthree"]) yield word; }
export async function* rows() { yield { row: 1 }; yield "text"; yield { row: 2 }; }
export async function* both() { yield "working"; return { done: true }; }
export async function* fails() { yield "half"; throw new Error("no more"); }
export const picture = () => ({ type: "image", mimeType: "image/png", data: new Uint8Array([137, 80, 78, 71]) });
export const bytes = () => new TextEncoder().encode("hello");
export const table = () => [{ a: 1 }];
export const people = () => [{ name: "Ada", born: 1815 }, { name: "Alan", died: null }];
`;

describe("bascule call, of a tool that yields", { timeout: 120_000 }, () => {
  let project: CliProject;
  beforeAll(async () => {
    project = await createCliProject({ "plugins/shows/manifest.json": JSON.stringify(MANIFEST), "plugins/shows/main.ts": MAIN });
  });
  afterAll(async () => await project[Symbol.asyncDispose]());

  it.each([
    ["words", "one two\n\\x1b[2Jthree\n", ""],
    ["rows", '{"row":1}\ntext\n{"row":2}\n', ""],
    ["both", 'working\n{\n  "done": true\n}\n', ""],
  ])("writes values as they come, and the result unless it is the list of them: %s [AX4.cli]", async (tool, out, error) => {
    expect(await project.run(["call", tool])).toEqual({ code: 0, out, error });
  });

  it("writes the error after the values [AX4.cli]", async () => {
    const { code, out, error } = await project.run(["call", "fails"]);
    expect([code, out, error.split("\n")[0]]).toEqual([1, "half\n", "tool_failed no more"]);
  });

  it("writes one document with --json, with the list of values [AX4.cli]", async () => {
    const { out } = await project.run(["call", "rows", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ ok: true, output: [{ row: 1 }, "text", { row: 2 }] });
  });

  it.each([
    ["picture", "a.png", [137, 80, 78, 71], "image/png, 4 bytes"],
    ["bytes", "a.bin", [...Buffer.from("hello")], "application/octet-stream, 5 bytes"],
    ["table", "a.json", [...Buffer.from('[\n  {\n    "a": 1\n  }\n]\n')], "JSON, 23 bytes"],
  ])("writes the result of %s with --out [AX4.out]", async (tool, file, contents, about) => {
    const { code, out, error } = await project.run(["call", tool, "--out", file]);
    expect([code, out, error]).toEqual([0, "", `Wrote ${join(project.folder, file)} (${about})\n`]);
    expect([...(await readFile(join(project.folder, file)))]).toEqual(contents);
  });

  it("shows an image in a terminal that can, and saves it otherwise [AX4.images]", async () => {
    const shown = await project.run(["call", "picture"], { answers: [], env: { TERM: "xterm-kitty" } });
    expect([shown.out, shown.error]).toEqual(["\x1b_Ga=T,f=100,m=0;iVBORw==\x1b\\\n", ""]);
    const inline = await project.run(["call", "picture"], { answers: [], env: { TERM_PROGRAM: "WezTerm" } });
    expect(inline.out).toBe("\x1b]1337;File=inline=1;size=4:iVBORw==\x07\n");
    const saved = await project.run(["call", "picture"], { answers: [], env: { TERM_PROGRAM: "WezTerm", TMUX: "1" } });
    const path = /^Saved (.*\.png)\n$/.exec(saved.error)?.[1] ?? "";
    expect([saved.out, [...(await readFile(path))]]).toEqual(["", [137, 80, 78, 71]]);
    await rm(path);
  });

  it("names an image or bytes in a file or a pipe, and the option that writes them [AX4.images]", async () => {
    const piped = { code: 0, error: "(--out=<file> writes the bytes)\n" };
    expect(await project.run(["call", "picture"], { env: { TERM: "xterm-kitty" } })).toEqual({ ...piped, out: "[image, image/png]\n" });
    expect(await project.run(["call", "bytes"])).toEqual({ ...piped, out: "[bytes, application/octet-stream]\n" });
  });
});

describe("a list of flat objects", { timeout: 120_000 }, () => {
  it("is a table on a terminal, and JSON for a file or a program [AX4.tables]", async () => {
    await using project = await createCliProject({
      "plugins/shows/manifest.json": JSON.stringify(MANIFEST),
      "plugins/shows/main.ts": MAIN,
    });
    expect((await project.run(["call", "people"], { answers: [] })).out).toBe("name  born  died\nAda   1815\nAlan        null\n");
    expect(JSON.parse((await project.run(["call", "people"])).out)).toEqual([
      { name: "Ada", born: 1815 },
      { name: "Alan", died: null },
    ]);
  });

  it("stays JSON if a cell or the width has no room for it [AX4.tables]", () => {
    const style = createStyle(false);
    const rows = [
      { name: "Ada \u001b[2J", born: 1815 },
      { name: "Alan", died: null },
    ];
    const lines = ["name         born  died", "Ada \\x1b[2J  1815", "Alan               null"];
    expect(tableOf(rows, { columns: 23, style })).toEqual(lines);
    expect(tableOf(rows, { columns: 22, style })).toBeUndefined();
    for (const value of [[], [1], [{ deep: [1] }], [{ text: "two\nlines" }], [{}], { rows }]) {
      expect(tableOf(value, { columns: 80, style })).toBeUndefined();
    }
  });
});

describe("imageSequence()", () => {
  it("shows no data that could end the sequence, and only what the protocol takes [AX4.images]", () => {
    const block = (data: string, mimeType = "image/png"): Parameters<typeof imageSequence>[0] => ({ type: "image", mimeType, data });
    expect(imageSequence(block("AAAA\x1b\\\x1b[2J"), "kitty")).toBeUndefined();
    expect(imageSequence(block("AAAA", "image/jpeg"), "kitty")).toBeUndefined();
    expect(imageSequence({ type: "text", text: "x" }, "iterm2")).toBeUndefined();
    const long = imageSequence(block("A".repeat(8_000)), "kitty") ?? "";
    expect(long.split("\x1b\\").map((part) => part.slice(0, 17))).toEqual(["\x1b_Ga=T,f=100,m=1;", "\x1b_Gm=0;AAAAAAAAAA", "\n"]);
  });
});
