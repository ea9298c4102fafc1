import { describe, expect, it } from "vitest";
import { answerOwn } from "../../../../sandbox/worker/operations/own-files.ts";
import { shareFiles } from "../../../../sandbox/wire/plugin-files.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const files = shareFiles(
  new Map([
    ["data/words.txt", bytesOf("a b")],
    ["main.ts", bytesOf("")],
  ]),
);

const ask = (operation: string, path: string, maxBytes = 100): unknown =>
  answerOwn({ operation, told: `p${path}`, maxBytes }, files)?.answer ?? "none of its own";

describe("a plugin's own files", () => {
  it("are read without the host, and without a copy [B9, LV2.own]", () => {
    const path = "/$plugin/data/../data/./words.txt";
    for (const told of [`p${path}`, JSON.stringify({ path })])
      expect(answerOwn({ operation: "fs.readFile", told, maxBytes: 3 }, files)).toEqual({ answer: "vnull", bytes: bytesOf("a b") });
    expect(answerOwn({ operation: "fs.readFile", told: `p${path}`, maxBytes: 3 }, files)?.bytes).toBe(files.get("data/words.txt"));
    expect(ask("fs.readDir", "/$plugin")).toBe(
      `v${JSON.stringify([
        { name: "data", isFile: false, isDirectory: true, isSymlink: false },
        { name: "main.ts", isFile: true, isDirectory: false, isSymlink: false },
      ])}`,
    );
    expect(ask("fs.stat", "/$plugin/data")).toMatch(/^v.*"isDirectory":true/);
    expect(ask("fs.lstat", "/$plugin/main.ts")).toMatch(/^v.*"isFile":true/);
    expect(ask("fs.realPath", "/$plugin/data/words.txt")).toBe(`v"/$plugin/data/words.txt"`);
    expect(ask("fs.realPath", "/$plugin/.")).toBe(`v"/$plugin"`);
  });

  it("do not lead outside, and do not exceed the size of an answer [B9, B3.operationBytes]", () => {
    expect(ask("fs.readFile", "/$plugin/../../etc/passwd")).toMatch(/^e.*"NotFound".*"ENOENT"/);
    expect(ask("fs.readFile", "/$plugin/data")).toMatch(/^e.*"EISDIR"/);
    expect(ask("fs.readDir", "/$plugin/main.ts")).toMatch(/^e.*"ENOTDIR"/);
    expect(ask("fs.readFile", "/$plugin/data/words.txt", 2)).toMatch(/^e.*"EFBIG"/);
  });

  it("leave all other operations to the host [B9]", () => {
    expect(ask("fs.writeFile", "/$plugin/main.ts")).toBe("none of its own");
    expect(ask("fs.readFile", "/$pluginx")).toBe("none of its own");
    expect(ask("fs.readFile", "/etc/$plugin/passwd")).toBe("none of its own");
    expect(answerOwn({ operation: "fs.readFile", told: `{"path":"/$plugin/`, maxBytes: 1 }, files)).toBe(undefined);
  });

  it("are in one piece of shared memory, so that no worker copies them [LV2.own]", () => {
    const memory = new Set([...files.values()].map(({ buffer }) => buffer));
    expect(memory.size).toBe(1);
    expect([...memory][0]).toBeInstanceOf(SharedArrayBuffer);
  });
});
