/** Links in the workspace, and programs that a tool could have put there, have no effect. */

import { symlink } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { script } from "../../support/real-programs.ts";
import { outputOf, shellHost } from "../../support/shell-host.ts";

describe("a program's folder and file", () => {
  it("follows no link out of the workspace [G2.cwd, C4.symlink]", async () => {
    await using shell = await shellHost({ grants: { run: ["pwd"] } });
    const { host, workspace } = shell;
    await symlink("/etc", `${workspace}/out`);
    await symlink(".", `${workspace}/here`);
    for (const cwd of ["out", "out/..", "here/out", "../..", "/", "a\0b", ""]) {
      const result = await host.call("shell", { command: "pwd", cwd });
      if (cwd === "out/..") expect(outputOf(result).stdout).toBe(`${workspace}\n`);
      else expect(result, cwd).toMatchObject({ ok: false, error: { code: "fs_denied" } });
    }
    expect(outputOf(await host.call("shell", { command: "pwd", cwd: "here" })).stdout).toBe(`${workspace}\n`);
  });

  it("does not find a name in the workspace, however PATH leads there [G2.run]", async () => {
    await using made = await shellHost();
    const link = `${made.workspace}/../link`;
    await symlink(made.workspace, link);
    await script(made.workspace, "innocent", "echo owned");
    await using shell = await shellHost({
      env: { PATH: `.::relative:${made.workspace}:${link}:/usr/bin:/bin` },
      grants: { run: ["innocent", "env"] },
    });
    // The folder is also the other host's workspace.
    const { host } = shell;
    const session = host.session({ workspace: made.workspace });
    expect(await host.call("shell", { command: "innocent" }, { session })).toMatchObject({
      error: { code: "tool_failed", message: 'Cannot run "innocent": not found in /usr/bin, /bin' },
    });
    expect(outputOf(await host.call("shell", { command: "env" }, { session })).stdout).toContain("PATH=/usr/bin:/bin\n");
  });

  it("runs no denied program through a link with another name [G2.run, PA4]", async () => {
    await using shell = await shellHost({
      grants: { run: { allow: ["tool", "$workspace/tool"], deny: ["sh", "dash", "bash", "busybox"] } },
    });
    const { host, workspace } = shell;
    await symlink("/bin/sh", `${workspace}/tool`);
    await symlink("/bin/sh", `${workspace}/../bin/tool`);
    for (const command of ["./tool", `${workspace}/tool`, "tool"]) {
      expect(await host.call("shell", { command, args: ["-c", "echo owned"] }), command).toMatchObject({
        ok: false,
        error: { code: "permission_denied" },
      });
    }
  });

  it("runs a file that is granted by its path, from any folder [G2.run]", async () => {
    await using shell = await shellHost({ grants: { run: ["$workspace/tool"] } });
    const { host, workspace } = shell;
    await script(workspace, "tool", "echo mine");
    expect(outputOf(await host.call("shell", { command: "./tool" })).stdout).toBe("mine\n");
    expect(await host.call("shell", { command: "tool" })).toMatchObject({ error: { code: "permission_denied" } });
  });
});
