import { describe, expect, it } from "vitest";
import { objectOf, type TestCall, testCall, valueOf } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import type { Permissions, SecretSource } from "../../../manifests/mod.ts";

type SecretSources = Readonly<Record<string, SecretSource>>;

function call(permissions: Permissions, secrets: SecretSources = {}): TestCall {
  return testCall({
    secrets,
    platform: memoryPlatform(
      { "keys/pem.txt": "-----BEGIN KEY-----\nabc\n" },
      { env: { HOME: "/home/user", APP_A: "a", API_KEY: "hunter2" } },
    ),
    cwd: WORKSPACE,
    permissions,
  });
}

describe("env bridge", () => {
  it("returns granted variables, set or unset [C1]", async () => {
    const { answer, acts } = call({ env: ["HOME", "NONE"] });
    expect(await answer("env.get", { name: "HOME" })).toEqual({ ok: true, value: "/home/user" });
    expect(await answer("env.get", { name: "NONE" })).toEqual({ ok: true, value: null });
    expect(await answer("env.has", { name: "HOME" })).toEqual({ ok: true, value: true });
    expect(await answer("env.has", { name: "NONE" })).toEqual({ ok: true, value: false });
    expect(acts.map(({ decision, value }) => [decision, value])).toEqual([
      ["granted", "HOME"],
      ["granted", "NONE"],
      ["granted", "HOME"],
      ["granted", "NONE"],
    ]);
  });

  it("refuses other variables the same way, set or unset [C10, PA6]", async () => {
    const { answer } = call({ env: ["HOME"] });
    expect(await answer("env.get", { name: "API_KEY" })).toMatchObject({
      ok: false,
      error: { name: "NotCapable", message: expect.stringContaining('Requires env access to "API_KEY"') },
    });
    expect(await answer("env.has", { name: "NOTHING" })).toMatchObject({ ok: false, error: { name: "NotCapable" } });
  });

  it("returns only granted names as an object [C1]", async () => {
    expect(await call({ env: ["APP_*"] }).answer("env.toObject", {})).toEqual({ ok: true, value: { APP_A: "a" } });
    expect(await call({}).answer("env.toObject", {})).toEqual({ ok: true, value: {} });
  });

  it("returns a placeholder for a secret, never its value, from every operation [C7.placeholder]", async () => {
    const { answer } = call({ env: [{ name: "API_KEY", secret: true, hosts: ["api.example.com"] }] });
    const placeholder = valueOf(await answer("env.get", { name: "API_KEY" }));
    expect(placeholder).toMatch(/^bascule_secret_[0-9a-f]{32}$/);
    expect(await answer("env.get", { name: "API_KEY" })).toEqual({ ok: true, value: placeholder });
    expect(await answer("env.toObject", {})).toEqual({ ok: true, value: { API_KEY: placeholder } });
    expect(await answer("env.has", { name: "API_KEY" })).toEqual({ ok: true, value: true });
  });

  it("gives each call its own placeholder [C7.placeholder]", async () => {
    const secret: Permissions = { env: [{ name: "API_KEY", secret: true, hosts: ["api.example.com"] }] };
    const platform = memoryPlatform({}, { env: { API_KEY: "hunter2" } });
    const calls = [1, 2].map(() => testCall({ platform, cwd: WORKSPACE, permissions: secret }));
    const placeholders = await Promise.all(calls.map(async ({ answer }) => valueOf(await answer("env.get", { name: "API_KEY" }))));
    expect(new Set(placeholders).size).toBe(2);
  });

  it.each<[string, Permissions["env"], SecretSources]>([
    ["an item beside a plain one", ["API_KEY", { name: "API_KEY", secret: true, hosts: ["a.test"] }], {}],
    ["an item beside a prefix", ["API_*", { name: "API_KEY", secret: true, hosts: ["a.test"] }], {}],
    ["the project, whatever the grant says", true, { API_KEY: { env: "API_KEY" } }],
  ])("passes a variable by reference if it is a secret for %s [C7.placeholder]", async (_, env, secrets) => {
    const { answer } = call({ ...(env !== undefined && { env }) }, secrets);
    expect(valueOf(await answer("env.get", { name: "API_KEY" }))).toMatch(/^bascule_secret_/);
    expect(JSON.stringify(await answer("env.toObject", {}))).not.toContain("hunter2");
  });

  it("reads values from the variable or file that the project names [C7.source, P1.secrets]", async () => {
    const secrets = { TOKEN: { env: "API_KEY" }, PEM: { file: "keys/pem.txt" }, GONE: { file: "keys/none" }, UNSET: { env: "NONE" } };
    const { answer } = call({ env: true }, secrets);
    for (const name of ["TOKEN", "PEM"]) expect(valueOf(await answer("env.get", { name }))).toMatch(/^bascule_secret_/);
    for (const name of ["GONE", "UNSET"]) {
      expect(await answer("env.get", { name })).toEqual({ ok: true, value: null });
      expect(await answer("env.has", { name })).toEqual({ ok: true, value: false });
    }
    expect(Object.keys(objectOf(await answer("env.toObject", {}))).toSorted()).toEqual(["API_KEY", "APP_A", "HOME", "PEM", "TOKEN"]);
  });

  it("refuses a value that could not be kept secret, with the reason [C7.source]", async () => {
    const { answer } = call({ env: [{ name: "APP_A", secret: true, hosts: ["a.test"] }] });
    expect(await answer("env.get", { name: "APP_A" })).toEqual({
      ok: false,
      error: {
        name: "InvalidData",
        message: 'Secret "APP_A" cannot be used: the value has fewer than 6 bytes, so it cannot be redacted in results',
      },
    });
  });

  it("reports variables under Deno's ignore as unset", async () => {
    const { answer } = call({ env: { allow: true, ignore: ["HOME"] } });
    expect(await answer("env.get", { name: "HOME" })).toEqual({ ok: true, value: null });
    expect(await answer("env.has", { name: "HOME" })).toEqual({ ok: true, value: false });
    expect(await answer("env.toObject", {})).toEqual({ ok: true, value: { APP_A: "a", API_KEY: "hunter2" } });
  });

  it("reports malformed names in Deno's words", async () => {
    const { answer } = call({ env: true });
    expect(await answer("env.get", { name: "" })).toEqual({ ok: false, error: { name: "TypeError", message: "Key is an empty string." } });
    expect(await answer("env.get", { name: "a=b" })).toEqual({
      ok: false,
      error: { name: "TypeError", message: 'Key contains invalid characters: "a=b"' },
    });
  });
});
