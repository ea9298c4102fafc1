import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../manifests/mod.ts";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const MILLION = 1_000_000;

/**
 * Texts of the maximum length of an operation, which could take the host's thread quadratic time, or almost a second each, without any
 * grant. On failure this test does not end.
 */
const OPERATIONS: readonly (readonly [string, JsonValue, name: string, message: string])[] = [
  ["fs.makeTempFile", { dir: `${"/".repeat(MILLION)}a` }, "Error", "File name too long (os error 36): tmpfile"],
  ["fs.makeTempDir", { dir: `a${"/".repeat(MILLION)}` }, "NotCapable", 'Requires write access to "a/'],
  ["fs.readFile", { path: `/$plugin/${"a/".repeat(MILLION / 2)}` }, "Error", "File name too long (os error 36): readfile '/$plugin/a/a/"],
  ["permissions.query", { name: "net", host: "a.".repeat(MILLION / 2) }, "URIError", "A host has at most 512 characters"],
  ["permissions.query", { name: "import", host: "é".repeat(MILLION / 2) }, "URIError", "A host has at most 512 characters"],
];

describe("attack: texts that block the host's thread", () => {
  it.each(OPERATIONS)("%s refuses them at once [B1.loop]", async (operation, args, name, message) => {
    const call = testCall({ platform: memoryPlatform(), cwd: "/ws", permissions: {} });
    const answer = await call.answer(operation, args);
    expect(answer).toMatchObject({ ok: false, error: { name } });
    expect(answer.ok ? "" : answer.error.message.slice(0, message.length)).toBe(message);
  });

  it("parses revoked hosts as fast [B1.loop, PA7]", async () => {
    const call = testCall({ platform: memoryPlatform(), cwd: "/ws", permissions: { net: ["a.b"] } });
    const revoked = Array.from({ length: 256 }, () => ({ name: "net", host: "a.".repeat(2_000) }));
    expect(await call.answer("permissions.query", { name: "net", host: "a.b", revoked })).toEqual({
      ok: true,
      value: { state: "granted", partial: false },
    });
  });
});
