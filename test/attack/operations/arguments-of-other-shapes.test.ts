import { expect, it } from "vitest";
import { BRIDGES } from "../../../host/capabilities/mod.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

const JUNK: readonly JsonValue[] = [
  null,
  true,
  0,
  -1,
  1e308,
  2 ** 53,
  "",
  "\0",
  "x".repeat(100_000),
  [],
  [[]],
  {},
  { path: {} },
  ["a", 1],
  JSON.parse('{"__proto__": {"path": "a"}}'),
];
const FIELDS = [
  "path",
  "from",
  "to",
  "id",
  "name",
  "url",
  "method",
  "headers",
  "options",
  "length",
  "offset",
  "len",
  "dir",
  "prefix",
  "old",
  "replacement",
  "mode",
  "append",
  "recursive",
  "pattern",
  "depth",
];

it.each(BRIDGES.flatMap(({ operations }) => Object.keys(operations)))(
  "attack: %s with arguments of every other shape, with nothing granted [B5.shapes] [C2]",
  async (operation) => {
    const call = testCall({ platform: memoryPlatform({ a: "secret" }), cwd: WORKSPACE, permissions: {} });
    const asked = [
      ...JUNK,
      ...JUNK.flatMap((junk) => [
        Object.fromEntries(FIELDS.map((field) => [field, junk])),
        Object.fromEntries(FIELDS.map((field, index) => [field, index % 2 === 0 ? "a" : junk])),
      ]),
    ];
    for (const args of asked) {
      const answer = await call.answer(operation, args, new Uint8Array(8));
      expect(JSON.stringify(answer).length, operation).toBeLessThan(300_000);
      if (answer.ok) expect(`${JSON.stringify(answer.value)}${new TextDecoder().decode(answer.bytes)}`).not.toContain("secret");
      else expect(answer.error.message).not.toBe("");
    }
    expect(call.modified).toEqual([]);
    expect(call.acts.filter(({ decision }) => decision === "granted")).toEqual([]);
  },
);
