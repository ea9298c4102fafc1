import { describe, expect, it } from "vitest";
import { createHost } from "../../../host/mod.ts";
import { registerBuiltins } from "../../../host/sources/builtin.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { testHost, type TestHost } from "../../support/test-host.ts";
import { outputOf, shellHost } from "../../support/shell-host.ts";
import { numberIn } from "../../support/real-programs.ts";
import type { JsonObject } from "../../../manifests/mod.ts";

function hostWith(policy: JsonObject, confirmation: JsonObject = { default: { execute: "auto" } }): TestHost {
  const programs = { "/usr/bin/hello": () => 0, "/usr/bin/rm": () => 0 };
  const made = testHost({ platform: memoryPlatform({}, { programs }), project: { policy, confirmation } });
  registerBuiltins(made.registry);
  return made;
}

const HELLO: JsonObject = { tool: "shell", allow: true, grants: { run: ["hello"] } };

describe("the shell tool and policy", () => {
  it.each<[string, JsonObject]>([
    ["no rule", {}],
    ["a default that allows", { default: { allow: true, grants: { run: true } } }],
    ["a group that allows", { rules: [{ group: "group:all", allow: true, grants: { run: true } }] }],
    ["a pattern that allows", { rules: [{ pattern: "sh*", allow: true, grants: { run: true } }] }],
    ["a rule that grants without allowing", { rules: [{ tool: "shell", grants: { run: ["hello"] } }] }],
  ])("is off with %s, and names the rule that would turn it on [G2.shell]", async (_name, policy) => {
    const host = hostWith(policy);
    expect(await host.call("shell", { command: "hello" })).toMatchObject({
      ok: false,
      error: {
        code: "permission_denied",
        message: "Permission denied: tool 'shell' is disabled by policy",
        hint: { text: expect.stringContaining('{"tool":"shell","allow":true,"grants":{"run":["<program>"]}}') },
      },
    });
    expect(host.types()).toEqual(["tool.denied"]);
  });

  it("stays off if any rule denies it [G2.shell, P2]", async () => {
    const denied = hostWith({ rules: [HELLO, { group: "group:write", allow: false }] });
    expect(await denied.call("shell", { command: "hello" })).toMatchObject({ error: { code: "permission_denied" } });
  });

  it.each(["shell", "run_shell", "Shell"])("runs as %s what its rule grants [G2.shell]", async (name) => {
    const rules = [{ ...HELLO, tool: name }];
    const programs = { "/usr/bin/hello": () => 0 };
    await using host = await createHost({
      platform: memoryPlatform({}, { programs }),
      config: { policy: { rules }, confirmation: { default: { execute: "auto" } } },
    });
    expect(await host.call(name, { command: "hello" })).toMatchObject({
      ok: true,
      tool: "shell",
      route: "host",
      sideEffects: ["execute"],
      output: { exitCode: 0, stdout: "", stderr: "" },
      commandExecuted: "hello",
    });
  });

  it("asks the user by default, with program and arguments [G2.shell, E1]", async () => {
    const host = hostWith({ rules: [HELLO] }, {});
    const asked: unknown[] = [];
    const result = await host.call(
      "shell",
      { command: "hello", args: ["$(x)"] },
      { confirm: async (question) => (asked.push(question), false) },
    );
    expect(result).toMatchObject({ ok: false, error: { code: "user_denied" } });
    expect(asked).toMatchObject([{ tool: "shell", class: "execute", args: { command: "hello", args: ["$(x)"] } }]);
  });

  it("refuses an ungranted program before the confirmation, with the smallest grant [G2.run]", async () => {
    const host = hostWith({ rules: [HELLO] }, {});
    const result = await host.call("shell", { command: "rm", args: ["-rf", "/"] }, { confirm: () => expect.unreachable("must not ask") });
    expect(result).toMatchObject({
      error: {
        code: "permission_denied",
        message: 'Requires run access to "rm", which is not granted',
        hint: { text: expect.stringContaining('add "rm" to "run"') },
      },
    });
    expect(host.types()).toEqual(["tool.denied"]);
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ["a name for its path", { run: ["hello"] }, { command: "/usr/bin/hello" }, "is not granted"],
    ["a path for its name", { run: ["/usr/bin/hello"] }, { command: "hello" }, "is not granted"],
    ["a program that is denied by name", { run: { allow: true, deny: ["hello"] } }, { command: "hello" }, "does not allow"],
    ["the file that is denied by name", { run: { allow: true, deny: ["hello"] } }, { command: "/usr/bin/hello" }, "does not allow"],
    ["a name whose file is denied", { run: { allow: true, deny: ["/usr/bin/hello"] } }, { command: "hello" }, "does not allow"],
    ["an option in place of a program", { run: true }, { command: "-c" }, "not a valid program name"],
    ["a NUL character in it", { run: true }, { command: "hello\0" }, "not a valid program name"],
  ])("refuses %s [G2.run, PA3]", async (_name, grants, args, message) => {
    const result = await hostWith({ rules: [{ ...HELLO, grants }] }).call("shell", args);
    expect(result).toMatchObject({ ok: false, error: { code: "permission_denied", message: expect.stringContaining(message) } });
  });

  it("reports that a program was not found [G2.run]", async () => {
    expect(await hostWith({ rules: [{ ...HELLO, grants: { run: true } }] }).call("shell", { command: "nothing" })).toMatchObject({
      error: { code: "tool_failed", message: 'Cannot run "nothing": not found in /usr/bin' },
    });
  });

  it("is restricted by layers and by a read-only task, and by their permissions [G2.shell, P3, P5]", async () => {
    const layered = hostWith({
      rules: [{ ...HELLO, grants: { run: true } }],
      layers: [{ name: "house", level: "global", permissions: { run: ["rm"] } }],
    });
    expect(await layered.call("shell", { command: "hello" })).toMatchObject({
      error: { code: "permission_denied", message: expect.stringContaining("the house layer does not allow") },
    });
    expect(await layered.call("shell", { command: "rm" })).toMatchObject({ ok: true });
  });
});

describe("the shell tool", () => {
  it("passes a program its arguments and its input, and returns the result [G2.shell]", async () => {
    await using shell = await shellHost({ scripts: { words: `printf '<%s>' "$@"; cat; echo oops >&2; exit 2` } });
    const { host, workspace, events } = shell;
    const result = await host.call("shell", { command: "words", args: ["a b", "*", "it's"], stdin: " in\n" });
    expect(result).toMatchObject({
      ok: true,
      output: { exitCode: 2, stdout: "<a b><*><it's> in\n", stderr: "oops\n" },
      content: [{ type: "text", text: "<a b><*><it's> in\noops\n[exit code 2]" }],
      commandExecuted: "words 'a b' '*' 'it'\\''s'",
    });
    const used = events.find(({ type }) => type === "capability.used");
    expect(used?.payload).toMatchObject({ permission: "run", value: workspace.replace(/workspace$/, "bin/words"), decision: "granted" });
  });

  it("runs in the workspace, or a folder in it [G2.cwd]", async () => {
    await using shell = await shellHost({ grants: { run: ["pwd", "mkdir"] } });
    const { host, workspace } = shell;
    expect(outputOf(await host.call("shell", { command: "pwd" })).stdout).toBe(`${workspace}\n`);
    await host.call("shell", { command: "mkdir", args: ["-p", "a/b"] });
    expect(outputOf(await host.call("shell", { command: "pwd", cwd: "a/b" })).stdout).toBe(`${workspace}/a/b\n`);
    expect(await host.call("shell", { command: "pwd", cwd: "/etc" })).toMatchObject({
      error: { code: "fs_denied", message: expect.stringContaining("Path escapes workspace boundary") },
    });
    expect(await host.call("shell", { command: "pwd", cwd: "nothing" })).toMatchObject({ error: { code: "tool_failed" } });
  });

  it("keeps the output on its own timeout, and when the call is cancelled [G2.partial, T3, T4]", async () => {
    await using shell = await shellHost({ scripts: { slow: "trap '' TERM; echo $$ >pid; echo started; while :; do sleep 0.05; done" } });
    const { host, workspace, events } = shell;
    expect(await host.call("shell", { command: "slow", timeoutMs: 700 })).toMatchObject({
      error: {
        code: "timeout",
        message: "The program exceeded 0.7s",
        details: { output: { stdout: "started\n", stderr: "", signal: "SIGKILL" } },
      },
    });
    const stop = new AbortController();
    const deltas: unknown[] = [];
    const onProgress = (delta: unknown): void => {
      deltas.push(delta);
      stop.abort();
    };
    const result = await host.call("shell", { command: "slow" }, { signal: stop.signal, onProgress });
    const partialOutput = { stdout: "started\n", stderr: "", signal: "SIGKILL" };
    expect(result).toMatchObject({ ok: false, error: { code: "cancelled" }, commandExecuted: "slow", partialOutput });
    expect(deltas).toEqual([{ stream: "stdout", text: "started\n" }]);
    expect(events.at(-1)).toMatchObject({ type: "tool.failed", payload: { partialOutput } });
    await numberIn(`${workspace}/pid`);
  });

  it("terminates programs when the host closes [T5.processes]", async () => {
    const shell = await shellHost({ scripts: { slow: "echo started; exec sleep 600" } });
    let began: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (began = resolve));
    const running = shell.host.call("shell", { command: "slow" }, { onProgress: () => began() });
    await begun;
    await shell.host.close();
    expect(await running).toMatchObject({ ok: false, error: { code: "cancelled" } });
  });
});
