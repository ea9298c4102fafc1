import { describe, expect, it } from "vitest";
import { absolutePath, nameOf, parentOf, pathFrom, shellWord } from "../../../host/cli/paths.ts";

describe("paths of the command line", () => {
  it("are shown as a person in the working directory would write them [I2.advice]", () => {
    expect(pathFrom("/a/b", "/a/b")).toBe(".");
    expect(pathFrom("/a/b", "/a/b/c/d")).toBe("c/d");
    expect(pathFrom("/a/b", "/a/x")).toBe("../x");
    expect(pathFrom("/a/b", "/etc")).toBe("/etc");
    expect(pathFrom("/", "/etc")).toBe("/etc");
  });

  it("are made absolute, and refused with a NUL", () => {
    expect(absolutePath("../x/./y", "/a/b")).toBe("/a/x/y");
    expect(() => absolutePath("a\0b", "/a")).toThrow('Cannot use "a\0b" as a path');
  });

  it("have parents and names", () => {
    expect([parentOf("/a/b"), parentOf("/a"), parentOf("/"), nameOf("/a/b")]).toEqual(["/a", "/", "/", "b"]);
  });

  it("are quoted for a shell only where needed [I2.advice]", () => {
    expect([shellWord("--allow-read=a/b"), shellWord("a b"), shellWord("$x"), shellWord("it's")]).toEqual([
      "--allow-read=a/b",
      "'a b'",
      "'$x'",
      "'it'\\''s'",
    ]);
  });
});
