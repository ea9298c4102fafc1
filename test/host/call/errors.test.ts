import { describe, expect, it } from "vitest";
import { ERROR_TABLE, errorDocs, isRetryable } from "../../../host/call/error-table.ts";
import * as errors from "../../../host/call/errors.ts";
import * as classes from "../../../host/tools/tool-error.ts";

describe("ERROR_TABLE", () => {
  it("has one row per code, in order [X2]", () => {
    expect(Object.keys(ERROR_TABLE)).toEqual([...errors.ERROR_CODES]);
    for (const code of errors.ERROR_CODES) expect(errorDocs(code)).toBe(`docs/errors.md#${code}`);
  });

  it("provides the older class names for events [X2]", () => {
    const renamed = errors.ERROR_CODES.filter((code) => ERROR_TABLE[code].errorClass !== code).map((code) => [
      code,
      ERROR_TABLE[code].errorClass,
    ]);
    expect(renamed).toEqual([
      ["tool_not_found", "not_found"],
      ["invalid_args", "validation_error"],
      ["fs_denied", "permission_denied"],
      ["net_denied", "permission_denied"],
      ["tool_failed", "execution_error"],
    ]);
  });

  it("says whether the caller can retry, unless the error says otherwise [X2, B10]", () => {
    expect(isRetryable({ code: "overloaded" })).toBe(true);
    expect(isRetryable({ code: "overloaded", details: { retryable: false } })).toBe(false);
    expect(isRetryable({ code: "permission_denied" })).toBe(false);
  });
});

describe("readErrorCode()", () => {
  it("reads codes and their older aliases only [X2]", () => {
    expect(["timeout", "not_found", "validation_error", "execution_error", "toString", ""].map(errors.readErrorCode)).toEqual([
      "timeout",
      "tool_not_found",
      "invalid_args",
      "tool_failed",
      undefined,
      undefined,
    ]);
  });
});

describe("fixed messages", () => {
  it("are exactly these [X5]", () => {
    expect(
      [
        errors.deniedByPolicy("X"),
        errors.userDenied(),
        errors.pathEscapes("../x"),
        errors.wallTimeout(30_000),
        errors.wallTimeout(1_250),
      ].map(({ message }) => message),
    ).toEqual([
      "Permission denied: tool 'X' is disabled by policy",
      "User denied this operation.",
      "Path escapes workspace boundary",
      "Tool exceeded 30s wall time limit",
      "Tool exceeded 1.25s wall time limit",
    ]);
  });

  it("name the first problem and count the others; details include all [X3]", () => {
    const problems = [
      { pointer: "/a", message: "Expected text", keyword: "type" },
      { pointer: "/b", message: "Missing", keyword: "required" },
    ];
    expect(errors.invalidArgs(problems)).toEqual({
      code: "invalid_args",
      message: "Invalid arguments at /a: Expected text (and 1 more)",
      details: { errors: problems },
      visible: true,
    });
  });
});

describe("ToolError", () => {
  it("has one subclass per code [X3]", () => {
    const made = Object.values(classes)
      .filter((value) => value.prototype instanceof classes.ToolError)
      .map(
        (value) =>
          new (value as new (message: string, options?: classes.ToolErrorOptions) => classes.ToolError)("why", { details: { a: 1 } }),
      );
    expect(made.map(({ code }) => code).toSorted()).toEqual([...errors.ERROR_CODES].toSorted());
    for (const error of made) expect(error.toData()).toEqual({ code: error.code, message: "why", details: { a: 1 }, visible: true });
    expect(new Set(made.map(({ name }) => name)).size).toBe(made.length);
  });
});
