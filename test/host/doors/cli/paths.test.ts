import { describe, expect, it } from "vitest";
import { withSlashes } from "../../../../host/platform/files/slashes.ts";
import { absolutePath, nameOf, parentOf, pathFrom, shellWord } from "../../../../host/doors/cli/paths.ts";

describe("paths on the command line", () => {
  it("are shown relative to the working directory unless absolute is shorter [I2.advice]", () => {
    expect(pathFrom("/a/b", "/a/b")).toBe(".");
    expect(pathFrom("/a/b", "/a/b/c/d")).toBe("c/d");
    expect(pathFrom("/a/b", "/a/x")).toBe("../x");
    expect(pathFrom("/a/b", "/etc")).toBe("/etc");
    expect(pathFrom("/", "/etc")).toBe("/etc");
  });

  it("are resolved to absolute paths, and refused with a NUL", () => {
    expect(absolutePath("../x/./y", "/a/b")).toBe("/a/x/y");
    expect(() => absolutePath("a\0b", "/a")).toThrow('Invalid path "a\0b"');
  });

  it("have parents and names", () => {
    expect([parentOf("/a/b"), parentOf("/a"), parentOf("/"), nameOf("/a/b")]).toEqual(["/a", "/", "/", "b"]);
  });

  it("can have a drive, which relative paths cannot leave [I2.drives]", () => {
    expect([parentOf("C:/a/b"), parentOf("C:/a"), parentOf("C:/")]).toEqual(["C:/a", "C:/", "C:/"]);
    expect(absolutePath("..\\x\\y.ts", "C:/a/b")).toBe("C:/a/x/y.ts");
    expect([pathFrom("C:/a/b", "C:/a/b/c"), pathFrom("C:/a/b", "C:/a/x"), pathFrom("C:/a", "D:/a")]).toEqual(["c", "../x", "D:/a"]);
    expect([withSlashes("C:\\a\\b", true), withSlashes("/a\\b", false)]).toEqual(["C:/a/b", "/a\\b"]);
  });

  it("are quoted for a shell only if necessary [I2.advice]", () => {
    expect([shellWord("--allow-read=a/b"), shellWord("a b"), shellWord("$x"), shellWord("it's")]).toEqual([
      "--allow-read=a/b",
      "'a b'",
      "'$x'",
      "'it'\\''s'",
    ]);
  });
});
