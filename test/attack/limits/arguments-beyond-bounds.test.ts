import { expect, it } from "vitest";
import { JsonArgumentText } from "../../../host/call/argument-text.ts";
import { readArguments } from "../../../host/call/arguments.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import { holes } from "../../support/holes.ts";

const LIMITS = { argumentBytes: 1_000, jsonDepth: 10 };
const nested = (depth: number): JsonValue => {
  let value: JsonValue = 1;
  for (let level = 0; level < depth; level++) value = { a: value };
  return value;
};
const CYCLE: Record<string, unknown> = {};
CYCLE["self"] = CYCLE;

it.each<readonly [string, unknown]>([
  ["a megabyte", { a: "x".repeat(1 << 20) }],
  ["a hundred thousand levels", nested(100_000)],
  ["a cycle", CYCLE],
  ["a list of four thousand million holes", holes(2 ** 32 - 1)],
  ["many small things", Array.from({ length: 10_000 }, () => 0)],
  ["NaN", { a: Number.NaN }],
  ["a function", { a: () => 1 }],
  [
    "a throwing getter",
    {
      get a() {
        throw new Error("read");
      },
    },
  ],
  ["deeply nested text", new JsonArgumentText("[".repeat(100_000) + "]".repeat(100_000))],
  ["long text", new JsonArgumentText(`"${"x".repeat(10_000)}`)],
  ["text with a number out of range", new JsonArgumentText("1e999")],
])("attack: arguments beyond the bounds: %s [B5.arguments] [S3.bounds]", (_what, args) => {
  const outcome = readArguments({}, args as JsonValue, LIMITS);
  expect(outcome).toMatchObject({ ok: false, error: { code: "invalid_args", message: expect.any(String) } });
  expect(JSON.stringify(outcome).length).toBeLessThan(2_000);
});
