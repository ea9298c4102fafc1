import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { changedFiles, readTree, selectTests } from "../../scripts/changed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ARCHITECTURE = "test/architecture.test.ts";

const TREE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "host/policy/rules.ts": "",
    "host/policy/decision.ts": `import { a } from "./rules.ts";`,
    "host/mod.ts": `export { b } from "./policy/decision.ts";`,
    "sandbox/guest/url.ts": "",
    "test/host/policy/rules.test.ts": `import { a } from "../../../host/policy/rules.ts";`,
    "test/host/policy/decision.test.ts": `import type { b } from "../../../host/policy/decision.ts";`,
    "test/host/call.test.ts": `import { b } from "../support/far.ts";`,
    "test/support/far.ts": `const { b } = await import("../../host/mod.ts");`,
    "test/host/started.test.ts": `fork(new URL("child.ts", import.meta.url)); new URL("./child.ts", import.meta.url);`,
    "test/host/child.ts": `import "../../host/mod.ts";`,
    "test/sandbox/guest/globals.test.ts": "",
    "test/docs.test.ts": `read("docs/policy.md");`,
    "test/manifests/text.test.ts": "",
  }),
);

function select(changed: readonly string[], more: object = {}): readonly string[] {
  return selectTests(changed, { tree: TREE, seconds: new Map(), ...more }).tests;
}

describe("selectTests()", () => {
  it("takes the tests that reach the file, the nearest first, and the architecture test", () => {
    expect(select(["host/policy/rules.ts"])).toEqual([
      "test/host/policy/rules.test.ts",
      "test/host/policy/decision.test.ts",
      "test/host/call.test.ts",
      "test/host/started.test.ts",
      ARCHITECTURE,
    ]);
  });

  it("takes a changed test, and the tests of a changed file of test support", () => {
    expect(select(["test/manifests/text.test.ts"])).toEqual(["test/manifests/text.test.ts", ARCHITECTURE]);
    expect(select(["test/host/child.ts"])).toContain("test/host/started.test.ts");
    expect(select(["test/support/far.ts"])).toEqual(["test/host/call.test.ts", ARCHITECTURE]);
  });

  it("takes the tests of the mirrored folder for a file that no test imports", () => {
    expect(select(["sandbox/guest/url.ts"])).toEqual(["test/sandbox/guest/globals.test.ts", ARCHITECTURE]);
  });

  it("takes the tests that name a page", () => {
    expect(select(["docs/policy.md"])).toEqual(["test/docs.test.ts", ARCHITECTURE]);
  });

  it("takes the tests that imported a deleted file", () => {
    const tree = new Map([...TREE].filter(([path]) => path !== "host/policy/rules.ts"));
    expect(select(["host/policy/rules.ts"], { tree })).toContain("test/host/policy/decision.test.ts");
  });

  it("leaves out what exceeds the budget, the farthest and slowest first, but no changed or mirrored test", () => {
    const seconds = new Map([
      ["test/host/policy/rules.test.ts", 100],
      ["test/manifests/text.test.ts", 100],
    ]);
    const changed = ["host/policy/rules.ts", "test/manifests/text.test.ts"];
    expect(select(changed, { seconds, budgetSeconds: 50 })).toEqual([
      "test/manifests/text.test.ts",
      "test/host/policy/rules.test.ts",
      ARCHITECTURE,
    ]);
    const slow = new Map([["test/host/policy/decision.test.ts", 100]]);
    expect(select(["host/policy/rules.ts"], { seconds: slow, budgetSeconds: 4 })).toEqual([
      "test/host/policy/rules.test.ts",
      "test/host/call.test.ts",
      ARCHITECTURE,
    ]);
  });

  it("counts all tests that reach the change", () => {
    expect(selectTests(["host/policy/rules.ts"], { tree: TREE, seconds: new Map(), budgetSeconds: 0 }).related).toBe(4);
  });

  it("finds the own test of a file of this repository", () => {
    const { tests } = selectTests(["scripts/changed.ts"], { tree: readTree(), seconds: new Map() });
    expect(tests).toEqual(["test/scripts/changed.test.ts", ARCHITECTURE]);
  });
});

describe("changedFiles()", () => {
  it("lists changed, staged, untracked and deleted files against a commit, without ignored ones", async () => {
    const folder = await temporaryFolder();
    const git = async (...args: readonly string[]): Promise<unknown> =>
      await promisify(execFile)("git", ["-c", "user.name=A", "-c", "user.email=a@b.test", ...args], { cwd: folder });
    await git("init", "--quiet");
    await mkdir(`${folder}/ü`);
    for (const name of ["kept.ts", "edited.ts", "deleted.ts", "ü/a b.ts"]) await writeFile(`${folder}/${name}`, "1");
    await writeFile(`${folder}/.gitignore`, "ignored.ts\n");
    await git("add", ".");
    await git("commit", "--quiet", "-m", "first");
    expect(await changedFiles("HEAD", folder)).toEqual([]);

    await writeFile(`${folder}/edited.ts`, "2");
    await writeFile(`${folder}/ü/a b.ts`, "2");
    await writeFile(`${folder}/ignored.ts`, "2");
    await writeFile(`${folder}/untracked.ts`, "2");
    await writeFile(`${folder}/staged.ts`, "2");
    await git("add", "staged.ts");
    await rm(`${folder}/deleted.ts`);
    const all = ["deleted.ts", "edited.ts", "staged.ts", "untracked.ts", "ü/a b.ts"];
    expect(await changedFiles("HEAD", folder)).toEqual(all);

    await git("add", ".");
    await git("commit", "--quiet", "-m", "second");
    expect(await changedFiles("HEAD", folder)).toEqual([]);
    expect(await changedFiles("HEAD~1", folder)).toEqual(all);
    await expect(changedFiles("gone", folder)).rejects.toThrow('Cannot compare with "gone"');
  });
});
