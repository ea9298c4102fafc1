import { describe, expect, it } from "vitest";
import { type TestCall, testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import type { Permissions } from "../../../manifests/mod.ts";

function call(permissions: Permissions): TestCall {
  return testCall({
    platform: memoryPlatform({}, { env: { HOME: "/home/user", APP_A: "a", API_KEY: "hunter2" } }),
    cwd: WORKSPACE,
    permissions,
  });
}

describe("env bridge", () => {
  it("gives granted variables, whether set or not [C1]", async () => {
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

  it("refuses the others, set or not, alike [C10, PA6]", async () => {
    const { answer } = call({ env: ["HOME"] });
    expect(await answer("env.get", { name: "API_KEY" })).toMatchObject({
      ok: false,
      error: { name: "NotCapable", message: expect.stringContaining('Requires env access to "API_KEY"') },
    });
    expect(await answer("env.has", { name: "NOTHING" })).toMatchObject({ ok: false, error: { name: "NotCapable" } });
  });

  it("gives only granted names as an object [C1]", async () => {
    expect(await call({ env: ["APP_*"] }).answer("env.toObject", {})).toEqual({ ok: true, value: { APP_A: "a" } });
    expect(await call({}).answer("env.toObject", {})).toEqual({ ok: true, value: {} });
  });

  it("gives a placeholder for a secret, never its value [C7.placeholder]", async () => {
    const secret: Permissions = { env: [{ name: "API_KEY", secret: true, hosts: ["api.example.com"] }] };
    const { answer } = call(secret);
    expect(await answer("env.get", { name: "API_KEY" })).toEqual({ ok: true, value: "bascule-secret:API_KEY" });
    expect(await answer("env.toObject", {})).toEqual({ ok: true, value: { API_KEY: "bascule-secret:API_KEY" } });
  });

  it("answers as if unset what Deno's ignore covers", async () => {
    const { answer } = call({ env: { allow: true, ignore: ["HOME"] } });
    expect(await answer("env.get", { name: "HOME" })).toEqual({ ok: true, value: null });
    expect(await answer("env.has", { name: "HOME" })).toEqual({ ok: true, value: false });
    expect(await answer("env.toObject", {})).toEqual({ ok: true, value: { APP_A: "a", API_KEY: "hunter2" } });
  });

  it("words malformed names as Deno does", async () => {
    const { answer } = call({ env: true });
    expect(await answer("env.get", { name: "" })).toEqual({ ok: false, error: { name: "TypeError", message: "Key is an empty string." } });
    expect(await answer("env.get", { name: "a=b" })).toEqual({
      ok: false,
      error: { name: "TypeError", message: 'Key contains invalid characters: "a=b"' },
    });
  });
});
