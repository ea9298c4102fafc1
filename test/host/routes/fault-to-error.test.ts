import { describe, expect, it } from "vitest";
import { faultToError } from "../../../host/routes/fault-to-error.ts";
import type { Fault } from "../../../sandbox/mod.ts";

describe("faultToError()", () => {
  it.each<[Fault, object]>([
    [
      { kind: "threw", name: "TypeError", message: "x is not a function", stack: "    at run (main.ts:3:5)" },
      { code: "tool_failed", message: "TypeError: x is not a function", details: { stack: "    at run (main.ts:3:5)" }, visible: true },
    ],
    [
      { kind: "threw", name: "ReferenceError", message: "'Buffer' is not defined", stack: "" },
      {
        code: "tool_failed",
        message: "ReferenceError: 'Buffer' is not defined (write `import { Buffer } from \"node:buffer\"`)",
        visible: true,
      },
    ],
    [
      { kind: "threw", name: "Error", message: "", stack: "" },
      { code: "tool_failed", message: "The tool threw an error without a message", visible: true },
    ],
    [
      { kind: "threw", name: "ToolError", message: "m", stack: "s", toolError: { message: "No such word", details: { word: "x" } } },
      { code: "tool_failed", message: "No such word", details: { details: { word: "x" } }, visible: true },
    ],
    [
      { kind: "timeout", limit: "wall", limitMs: 30_000 },
      { code: "timeout", message: "Tool exceeded 30s wall time limit", details: { limit: "wall", limitMs: 30_000 }, visible: true },
    ],
    [
      { kind: "timeout", limit: "cpu", limitMs: 500 },
      { code: "timeout", message: "Tool exceeded 0.5s CPU time limit", details: { limit: "cpu", limitMs: 500 }, visible: true },
    ],
    [
      { kind: "exhausted", limit: "memory", allowed: 64 },
      {
        code: "resource_exhausted",
        message: "Tool exceeded its memoryBytes limit of 64",
        details: { limit: "memoryBytes", allowed: 64 },
        visible: true,
      },
    ],
    [
      { kind: "no_export", module: "main.ts", export: "run", available: ["walk"] },
      { code: "tool_failed", message: '"main.ts" exports no function "run" (it exports walk)', visible: true },
    ],
    [
      { kind: "not_json", message: "cyclic" },
      { code: "invalid_output", message: "cyclic", visible: true },
    ],
    [
      { kind: "never_settles" },
      {
        code: "tool_failed",
        message: "The tool's promise can never settle: every timer and operation has ended, so nothing can resolve it",
        visible: true,
      },
    ],
    [
      { kind: "unfinished", operations: ["fs.writeFile"] },
      { code: "tool_failed", message: "The tool returned before its operations ended: fs.writeFile (await them)", visible: true },
    ],
    [
      { kind: "unhandled", name: "Error", message: "late", stack: "" },
      { code: "tool_failed", message: "late", visible: true },
    ],
    [{ kind: "cancelled" }, { code: "cancelled", message: "The call was cancelled", visible: true }],
    [
      { kind: "overloaded", because: "calls" },
      { code: "overloaded", message: "Too many calls wait for a worker (call again when some have ended)", visible: true },
    ],
    [
      { kind: "overloaded", because: "memory" },
      {
        code: "overloaded",
        message:
          "Too many calls wait for a worker: calls that have begun wait too and hold all the memory they may (call again when some have ended)",
        visible: true,
      },
    ],
    [
      { kind: "held_most", allowedBytes: 512 },
      {
        code: "resource_exhausted",
        message:
          "Waiting calls together held more than 512 bytes of memory, and this one held the most (hold less while waiting, or run fewer calls at once)",
        details: { limit: "heldBytes", allowed: 512 },
        visible: true,
      },
    ],
    [
      { kind: "lost" },
      {
        code: "unavailable",
        message: expect.stringContaining("was ended because of another call"),
        details: { retryable: false },
        visible: true,
      },
    ],
    [
      { kind: "trap", message: "unreachable" },
      { code: "tool_failed", message: "The engine stopped: unreachable", visible: true },
    ],
  ])("maps %o [B4, X2, X4]", (fault, error) => {
    expect(faultToError(fault)).toEqual(error);
  });

  it("cuts long guest text and lets the guest choose no code [AU4]", () => {
    const error = faultToError({
      kind: "threw",
      name: "permission_denied".repeat(100),
      message: "x".repeat(100_000),
      stack: "y".repeat(100_000),
    });
    expect(error.code).toBe("tool_failed");
    expect(JSON.stringify(error).length).toBeLessThan(13_000);
  });
});
