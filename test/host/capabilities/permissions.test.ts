import { describe, expect, it } from "vitest";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import type { JsonValue } from "../../../manifests/mod.ts";

describe("permissions.query", () => {
  const { answer, acts } = testCall({
    platform: memoryPlatform(),
    cwd: WORKSPACE,
    permissions: { read: { allow: ["."], deny: ["secret"] }, env: ["HOME"], net: ["example.com:443"] },
  });
  const stateOf = async (descriptor: JsonValue): Promise<unknown> => {
    const answered = await answer("permissions.query", descriptor);
    return answered.ok ? answered.value : answered.error;
  };

  it("answers granted, denied or prompt [PA7.query]", async () => {
    expect(await stateOf({ name: "read", path: "a/b" })).toEqual({ state: "granted", partial: false });
    expect(await stateOf({ name: "read", path: "." })).toEqual({ state: "granted", partial: true });
    expect(await stateOf({ name: "read", path: "secret/x" })).toEqual({ state: "denied", partial: false });
    expect(await stateOf({ name: "read", path: "../x" })).toEqual({ state: "prompt", partial: false });
    expect(await stateOf({ name: "write" })).toEqual({ state: "prompt", partial: false });
    expect(await stateOf({ name: "env", variable: "HOME" })).toEqual({ state: "granted", partial: false });
    expect(await stateOf({ name: "net", host: "example.com:443" })).toEqual({ state: "granted", partial: false });
    expect(await stateOf({ name: "net", host: "example.com" })).toEqual({ state: "prompt", partial: false });
  });

  it("does not count as an act", () => {
    expect(acts).toEqual([]);
  });

  it("reports malformed descriptors in Deno's words", async () => {
    expect(await stateOf({ name: "bogus" })).toEqual({
      name: "TypeError",
      message: 'The provided value "bogus" is not a valid permission name',
    });
    expect(await stateOf({ name: "net", host: "http://x" })).toEqual({
      name: "URIError",
      message: "invalid value 'http://x': URLs are not supported, only domains and IPs",
    });
    expect(await stateOf({ name: "read", path: 1 })).toMatchObject({ name: "TypeError" });
  });

  it("subtracts what the program revoked from the grant, by whole items [PA7.revoke]", async () => {
    const revoked = [{ name: "read", path: "a/../b" }, { name: "env" }, { name: "bogus" }, null];
    const gone = { state: "prompt", partial: false, revoked: true };
    expect(await stateOf({ name: "read", path: "c", revoked })).toEqual(gone);
    expect(await stateOf({ name: "read", path: "secret/x", revoked })).toEqual({ state: "denied", partial: false });
    expect(await stateOf({ name: "read", path: "../x", revoked })).toEqual({ state: "prompt", partial: false });
    expect(await stateOf({ name: "env", variable: "HOME", revoked })).toEqual(gone);
    expect(await stateOf({ name: "net", host: "example.com:443", revoked })).toEqual({ state: "granted", partial: false });
  });

  it("bounds the number of revocations [PA7.revoke] [B3]", async () => {
    const revoked = Array.from({ length: 257 }, (_, index) => ({ name: "env", variable: `V${index}` }));
    expect(await stateOf({ name: "env", variable: "HOME", revoked: revoked.slice(1) })).toEqual({ state: "granted", partial: false });
    expect(await stateOf({ name: "env", variable: "HOME", revoked })).toEqual({
      name: "RangeError",
      message: "A program can revoke at most 256 permissions",
    });
  });
});
