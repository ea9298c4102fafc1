/** The host's variables could disclose its secrets, and a call's variables could inject its caller's code. */

import { describe, expect, it } from "vitest";
import { outputOf, shellHost } from "../../support/shell-host.ts";

const SECRETS = {
  AWS_SECRET_ACCESS_KEY: "leak-1",
  NPM_TOKEN: "leak-2",
  API_KEY: "leak-3",
  LD_PRELOAD: "/leak-4",
  PWD: "/leak-5",
  _: "leak-6",
};
const NAMED = { CI: "1", APP_MODE: "test", HOME: "/home/me", LANG: "C.UTF-8", UNSET: "" };

describe("the environment of a program", () => {
  it("holds the usual variables and granted ones, and no others of the host [G2.environment]", async () => {
    await using shell = await shellHost({
      env: { ...SECRETS, ...NAMED },
      grants: { run: ["env"], env: { allow: ["CI", "APP_*", "API_KEY", "LD_PRELOAD"], deny: ["LANG"] } },
      project: { secrets: { API_KEY: { env: "API_KEY" } } },
    });
    const lines = outputOf(await shell.host.call("shell", { command: "env" }))
      .stdout.trim()
      .split("\n");
    const path = lines.find((line) => line.startsWith("PATH="));
    expect(lines.filter((line) => line !== path).toSorted()).toEqual(["APP_MODE=test", "CI=1", "HOME=/home/me"]);
    expect(path).toMatch(/\/bin:\/usr\/bin/);
    expect(JSON.stringify(shell.events)).not.toContain("leak-");
  });

  it("takes a call's variables only if their names are granted, and never the linker's [G2.environment]", async () => {
    await using shell = await shellHost({ grants: { run: ["env"], env: ["CI"] } });
    const call = (env: Record<string, unknown>) => shell.host.call("shell", { command: "env", env } as never);
    expect(outputOf(await call({ CI: "a b\n$(id)" })).stdout).toContain("CI=a b\n$(id)\n");
    expect(await call({ GIT_SSH_COMMAND: "touch owned" })).toMatchObject({
      error: {
        code: "permission_denied",
        message: expect.stringContaining('env access to "GIT_SSH_COMMAND"'),
        hint: { text: expect.stringContaining("GIT_SSH_COMMAND") },
      },
    });
    for (const name of ["", "A=B", "A\0B"]) expect(await call({ [name]: "x" })).toMatchObject({ ok: false });
    expect(await call({ CI: "a\0b" })).toMatchObject({ error: { code: "tool_failed" } });
    expect(await call({ CI: 1 })).toMatchObject({ error: { code: "invalid_args" } });
    await using open = await shellHost({ grants: { run: ["env"], env: true } });
    expect(await open.host.call("shell", { command: "env", env: { LD_PRELOAD: "/tmp/x.so" } })).toMatchObject({
      error: { code: "permission_denied", message: expect.stringContaining("replaces a program's code") },
    });
    expect(open.events.filter(({ type }) => type === "capability.denied")).toHaveLength(1);
  });
});
