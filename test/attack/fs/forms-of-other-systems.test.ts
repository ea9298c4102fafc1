import { expect, it } from "vitest";
import { normalizePath } from "../../../manifests/mod.ts";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

it.each([
  "\\\\server\\share\\x",
  "//server/share/x",
  "\\\\?\\C:\\x",
  "\\\\.\\PhysicalDrive0",
  "C:x:stream",
  "a:b",
  "x.",
  "x ",
  "dir./x",
  "a/b:ads:$DATA",
])("attack: below a drive letter, %j is another file's name [C4.windows]", (path) => {
  expect(normalizePath(path, "C:/work")).toBeUndefined();
});

it.each([
  ["..\\..\\x", "C:/x"],
  ["C:\\other", "C:/other"],
  ["\\x", "C:/x"],
  ["a\\..\\..\\..\\b", "C:/b"],
])("attack: below a drive letter, %j climbs with backslashes [C4.windows]", (path, expected) => {
  expect(normalizePath(path, "C:/work/dir")).toBe(expected);
});

it.each([
  "C:\\Windows\\x",
  "..\\..\\secret",
  "\\\\server\\share",
  "a\\..\\..\\secret",
  "file:///secret",
  "file:/secret",
  "%2e%2e/secret",
  "..%2fsecret",
  "~/secret",
  "$HOME/secret",
])("attack: elsewhere %j is one plain name in the workspace [C4.windows]", async (path) => {
  const { answer } = testCall({
    platform: memoryPlatform({ "/secret": "secret", "a.txt": "a" }),
    cwd: WORKSPACE,
    permissions: { read: ["$workspace"] },
  });
  expect(await answer("fs.readFile", { path })).toMatchObject({ ok: false, error: { name: "NotFound" } });
});
