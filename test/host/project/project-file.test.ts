import { describe, expect, it } from "vitest";
import { openProject, ProjectConfigError } from "../../../host/project/project-file.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const denyAll = JSON.stringify({ policy: { default: { allow: false } } });

describe("openProject()", () => {
  it("finds the nearest bascule.json upwards [P1]", async () => {
    const platform = memoryPlatform({ "/home/bascule.json": "{}", "/home/me/bascule.json": denyAll }, { cwd: "/home/me/deep/er" });
    expect(await openProject(platform, undefined)).toMatchObject({ path: "/home/me/bascule.json", root: "/home/me" });
    expect((await openProject(platform, undefined)).config().policy.default.allow).toBe(false);
    expect(await openProject(platform, "../../../bascule.json")).toMatchObject({ path: "/home/bascule.json", root: "/home" });
  });

  it("accepts a configuration from code, or none [P1]", async () => {
    const platform = memoryPlatform({ "bascule.json": denyAll });
    const fromCode = await openProject(platform, { policy: { rules: [{ tool: "x", allow: false }] } });
    expect(fromCode.path).toBeUndefined();
    expect(fromCode.config().policy.rules).toHaveLength(1);
    expect((await openProject(platform, false)).config().policy.default).toMatchObject({ allow: true });
  });

  it.each([
    ["5", 5],
    ["true", true],
    ["null", null],
    ["a list", []],
  ])("refuses a configuration that is %s [P1]", async (_what, source) => {
    const platform = memoryPlatform({ "bascule.json": denyAll });
    // Callers without types.
    const opening = openProject(platform, source as unknown as undefined);
    await expect(opening).rejects.toThrow(ProjectConfigError);
  });

  it("refuses to start with an invalid file, and reports every problem [P1]", async () => {
    const platform = memoryPlatform({ "bascule.json": JSON.stringify({ policy: { default: { allow: "no" } }, nonsense: 1 }) });
    const opening = openProject(platform, undefined);
    await expect(opening).rejects.toThrow(ProjectConfigError);
    await expect(opening).rejects.toThrow(/\/policy\/default\/allow[\s\S]*\/nonsense|\/nonsense[\s\S]*\/policy\/default\/allow/);
  });

  it("reads the file again when it changes, and keeps the last good one [P1]", async () => {
    const platform = memoryPlatform({ "bascule.json": "{}" });
    const project = await openProject(platform, undefined);
    expect(await project.refresh()).toEqual({ kind: "same" });
    platform.plant("/workspace/bascule.json", denyAll);
    expect(await project.refresh()).toEqual({ kind: "changed" });
    for (const _again of [1, 2]) {
      platform.plant("/workspace/bascule.json", '{"policy":');
      expect(await project.refresh()).toMatchObject({ kind: "refused", problems: [{ severity: "error" }] });
    }
    expect(project.config().policy.default.allow).toBe(false);
    await platform.files.remove("/workspace/bascule.json");
    expect([await project.refresh(), project.isThere()]).toEqual([{ kind: "changed" }, false]);
    expect(project.config().policy.default.allow).toBe(true);
    platform.plant("/workspace/bascule.json", denyAll);
    expect([await project.refresh(), project.isThere()]).toEqual([{ kind: "changed" }, true]);
    expect(project.config().policy.default.allow).toBe(false);
  });

  it("treats a file that is missing for one passing look as being replaced [P1.replaced]", async () => {
    const platform = memoryPlatform({ "bascule.json": denyAll });
    const project = await openProject(platform, undefined);
    for (const _again of [1, 2]) {
      await platform.files.remove("/workspace/bascule.json");
      expect(await project.refresh("passing")).toEqual({ kind: "same" });
      platform.plant("/workspace/bascule.json", denyAll);
      expect(await project.refresh("passing")).toEqual({ kind: "same" });
    }
    await platform.files.remove("/workspace/bascule.json");
    expect(await project.refresh("passing")).toEqual({ kind: "same" });
    expect(project.config().policy.default.allow).toBe(false);
    expect(await project.refresh("passing")).toEqual({ kind: "changed" });
    expect(project.config().policy.default.allow).toBe(true);
  });
});
