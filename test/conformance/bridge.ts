/** Requirements for every bridge, for any input (architecture, decision 6). */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerOperation, type Bridge } from "../../host/capabilities/mod.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";
import { type TestCall, testCall, toBytes } from "../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../support/memory-platform.ts";
import "../support/seed.ts";

/** Error names that a guest may get: those of `Deno.errors`, ECMAScript and DOMException. */
const ERROR_NAMES: ReadonlySet<string> = new Set([
  "NotFound",
  "PermissionDenied",
  "AlreadyExists",
  "InvalidData",
  "Interrupted",
  "FilesystemLoop",
  "IsADirectory",
  "NotADirectory",
  "NotSupported",
  "NotCapable",
  "BadResource",
  "Busy",
  "Error",
  "TypeError",
  "RangeError",
  "URIError",
  "AbortError",
]);

const HOSTILE: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1.5,
  "",
  "x",
  [],
  [[]],
  {},
  { path: null },
  { path: 1 },
  { path: ["a"] },
  { path: {} },
  { path: "\0" },
  { path: "\ud800" },
  { path: "a".repeat(100_000) },
  { path: "../".repeat(5_000) },
  { path: "a", mode: -1 },
  { path: "a", mode: 1e300 },
  { path: "a", append: "yes" },
  JSON.parse('{"__proto__": {"path": "a.txt"}, "constructor": 1}') as JsonValue,
  { name: null },
  { name: "__proto__" },
  { name: "toString" },
  { name: "A=B" },
  { id: -1 },
  { id: 1 },
  { id: 1, url: "http://127.0.0.1:1/", method: "GET", headers: [], redirect: "follow", body: "none" },
  { id: 1, url: "x", method: "GET\r\n", headers: ["a"], redirect: "", body: "bytes" },
  { id: 2, url: "http://[::1]/", method: "GET", headers: [1], redirect: "follow", body: "none" },
];

/** Registers the suite for one bridge. `example` is an operation that needs a grant, with the expected refusal. */
export function describeBridge(
  bridge: Bridge,
  example?: { readonly operation: string; readonly args: JsonValue; readonly message: RegExp },
): void {
  const call = (permissions = {}): TestCall =>
    testCall({ platform: memoryPlatform({ "a.txt": "abc" }, { env: { A: "1" } }), cwd: WORKSPACE, permissions });

  describe(`bridge ${bridge.name}`, () => {
    it("names its operations after itself", () => {
      expect(Object.keys(bridge.operations).every((name) => name.startsWith(`${bridge.name}.`))).toBe(true);
    });

    it.each(Object.keys(bridge.operations))("%s answers hostile arguments, with no grant and with every grant [B5]", async (operation) => {
      for (const permissions of [{}, { read: true, write: true, env: true, net: true }]) {
        for (const args of HOSTILE) expectProper(await call(permissions).answer(operation, args, toBytes("x")));
      }
    });

    it.each(Object.keys(bridge.operations))("%s answers arbitrary JSON [B5]", async (operation) => {
      const paths = fc.oneof(fc.string(), fc.constantFrom("a.txt", "/", ".", "..", "/workspace", "b/c"));
      const shaped = fc.record({
        path: paths,
        from: paths,
        to: paths,
        name: fc.string(),
        old: fc.string(),
        replacement: fc.string(),
        recursive: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.jsonValue(), shaped), async (args) => {
          // fast-check types JSON values differently.
          expectProper(await call({ read: true, write: true, env: true }).answer(operation, args as JsonValue));
        }),
        { numRuns: 100 },
      );
    });

    it.each(Object.keys(bridge.operations))("%s does nothing for a cancelled call and reports the cancellation", async (operation) => {
      const platform = memoryPlatform({ "a.txt": "abc" });
      const cancelled = testCall({
        platform,
        cwd: WORKSPACE,
        permissions: { read: true, write: true, env: true },
        signal: AbortSignal.abort(),
      });
      expectProper(
        await cancelled.answer(operation, { path: "a.txt", from: "a.txt", to: "b.txt", name: "read", old: "a", replacement: "b" }),
      );
      expect(cancelled.modified).toEqual([]);
      expect(await platform.files.list(WORKSPACE)).toEqual([{ name: "a.txt", kind: "file" }]);
      expect(await platform.files.readText(`${WORKSPACE}/a.txt`)).toBe("abc");
    });

    if (example !== undefined) {
      it("refuses what is not granted, records it, and names the grant that would allow it [C10, PA6]", async () => {
        const refused = call();
        expect(await refused.answer(example.operation, example.args)).toEqual({
          ok: false,
          error: { name: "NotCapable", message: expect.stringMatching(example.message) },
        });
        expect(refused.acts).toEqual([expect.objectContaining({ decision: "denied", layer: "grant" })]);
      });
    }
  });
}

/** Registers tests for operations that no bridge has. */
export function describeUnknownOperations(): void {
  it.each(["", "fs", "fs.", "fs.readfile", "constructor", "__proto__", "fs.readFile ", "x".repeat(10_000)])(
    "answers the unknown operation %j [B5]",
    async (name) => {
      const { context } = testCall({ platform: memoryPlatform(), cwd: WORKSPACE, permissions: {} });
      const answer = await answerOperation({ name, args: {} }, context);
      expect(answer).toEqual({
        ok: false,
        error: { name: "NotSupported", message: `Unknown operation ${JSON.stringify(name.slice(0, 100))}` },
      });
    },
  );
}

function expectProper(answer: HostAnswer): void {
  if (answer.ok) {
    expect(JSON.parse(JSON.stringify(answer.value))).toEqual(answer.value);
    return;
  }
  expect(ERROR_NAMES).toContain(answer.error.name);
  expect(answer.error.message).not.toBe("");
}
