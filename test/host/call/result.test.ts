import { describe, expect, it } from "vitest";
import type { ToolResult } from "../../../host/call/call.ts";
import { invalidArgs, pathEscapes, toolError } from "../../../host/call/errors.ts";

import { toHuman, toMachine, toMcp, toMessages } from "../../../host/call/result.ts";

const base = {
  callId: "c1",
  tool: "words.count",
  arguments: { path: "a.txt" },
  requiresApproval: false,
  content: [],
  sideEffects: ["read"],
  filesModified: [],
  durationMs: 3,
  limitsUsed: { wallMs: 2 },
  metadata: { lines: 2 },
} as const;
const success: ToolResult = { ...base, ok: true, status: "success", output: { words: 7 } };
const error = pathEscapes("../a", {
  grant: { plugin: "words", permissions: { read: ["/a"] } },
  command: "bascule grant words --allow-read=/a",
});
const failure: ToolResult = { ...base, ok: false, status: "error", output: null, error };
const errorAsJson = {
  code: "fs_denied",
  message: "Path escapes workspace boundary",
  details: { path: "../a" },
  visible: true,
  hint: error.hint,
};

describe("toMachine()", () => {
  it("has exactly this shape [X1]", () => {
    expect(toMachine(success)).toEqual({
      protocol_version: 1,
      ok: true,
      status: "success",
      output: { words: 7 },
      side_effects_declared: ["read"],
      requires_approval: false,
      metadata: { lines: 2 },
    });
    expect(toMachine(failure)).toEqual({
      protocol_version: 1,
      ok: false,
      status: "error",
      output: null,
      side_effects_declared: ["read"],
      requires_approval: false,
      metadata: { lines: 2, error: errorAsJson },
    });
  });
});

describe("toHuman()", () => {
  it("shows the output, the content blocks, or the error with its remedy [X1, X3]", () => {
    expect(toHuman(success)).toBe('{\n  "words": 7\n}');
    expect(toHuman({ ...success, output: "seven" })).toBe("seven");
    expect(
      toHuman({
        ...success,
        content: [
          { type: "text", text: "seven words" },
          { type: "image", data: "AA==", mimeType: "image/png" },
          { type: "resource", uri: "file:///a" },
        ],
      }),
    ).toBe("seven words\n[image, image/png]\n[file:///a]");
    expect(toHuman(failure)).toBe("Path escapes workspace boundary\nTo allow it: bascule grant words --allow-read=/a");
  });

  it("shows the advice once, and every invalid argument, up to a bound [X1, X3]", () => {
    const command = "bascule grant words --allow-read=a.txt";
    const denied = toolError("fs_denied", `Requires read access to "a.txt", grant it with: ${command}`, { hint: { command } });
    expect(toHuman({ ...failure, error: denied })).toBe(`Requires read access to "a.txt"\nTo allow it: ${command}`);
    const wrong = (count: number) =>
      invalidArgs(Array.from({ length: count }, (_, at) => ({ pointer: `/${at}`, message: "Is not expected" })));
    expect(toHuman({ ...failure, error: wrong(1) })).toBe("Invalid arguments at /0: Is not expected");
    expect(toHuman({ ...failure, error: wrong(2) })).toBe(
      "Invalid arguments at /0: Is not expected (and 1 more)\n/0: Is not expected\n/1: Is not expected",
    );
    expect(
      toHuman({ ...failure, error: wrong(99) })
        .split("\n")
        .slice(-2),
    ).toEqual(["/19: Is not expected", "and 79 more"]);
  });
});

describe("toHuman() with text of a tool", () => {
  const hostile = "\x1b]0;owned\x07\x1b[2Ja\u202eb\u009b1A\r\u200bc\ud800-\u{e0041}\n\td";
  const inert = "\\x1b]0;owned\\x07\\x1b[2Ja\\u{202e}b\\x9b1A\\r\\u{200b}c\\u{d800}-\\u{e0041}\n\td";

  it("escapes control and invisible characters in outputs, blocks, errors, arguments and hints [X1.inert]", () => {
    expect(toHuman({ ...success, output: hostile })).toBe(inert);
    expect(toHuman({ ...success, content: [{ type: "text", text: hostile }] })).toBe(inert);
    expect(toHuman({ ...success, content: [{ type: "image", data: "AA==", mimeType: "\x1b[2J" }] })).toBe("[image, \\x1b[2J]");
    expect(toHuman({ ...success, content: [{ type: "resource", uri: "\x1b[2J" }] })).toBe("[\\x1b[2J]");
    const text = toHuman({ ...success, output: { [hostile]: hostile } });
    expect(JSON.parse(text)).toEqual({ [hostile]: hostile });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
    const wrong = invalidArgs([
      { pointer: "/\x1b[2J", message: "Is \u202e" },
      { pointer: "", message: "\x9b" },
    ]);
    expect(toHuman({ ...failure, error: wrong })).not.toMatch(/[\u202e\x1b\x9b]/u);
    const denied = toolError("fs_denied", hostile, { hint: { text: hostile, command: "bascule grant \x1b[2J" } });
    expect(toHuman({ ...failure, error: denied })).toBe(`${inert}\n${inert}\nTo allow it: bascule grant \\x1b[2J`);
  });

  it("is unchanged for programs and models, which must be able to repeat it [X1.inert]", () => {
    const result = { ...success, output: hostile };
    expect(toMachine(result).output).toBe(hostile);
    expect(toMcp(result).content).toEqual([{ type: "text", text: hostile }]);
    expect(toMessages([{ id: "t", name: "n", arguments: {} }], [result])[1].content).toEqual([
      { type: "tool_result", tool_use_id: "t", content: hostile, is_error: false },
    ]);
  });
});

describe("toMessages()", () => {
  it("keeps ids and order [X1]", () => {
    const calls = [
      { id: "t1", name: "count", arguments: { path: "a.txt" } },
      { id: "t2", name: "count", arguments: {} },
    ];
    expect(toMessages(calls, [success, failure])).toEqual([
      {
        role: "assistant",
        content: [
          { type: "tool_use", id: "t1", name: "count", input: { path: "a.txt" } },
          { type: "tool_use", id: "t2", name: "count", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t1", content: toHuman(success), is_error: false },
          { type: "tool_result", tool_use_id: "t2", content: toHuman(failure), is_error: true },
        ],
      },
    ]);
    expect(() => toMessages(calls, [success])).toThrow(RangeError);
  });
});

describe("toMcp()", () => {
  it("includes structured content for objects only, and errors as content [X1]", () => {
    expect(toMcp(success)).toEqual({
      content: [{ type: "text", text: '{\n  "words": 7\n}' }],
      structuredContent: { words: 7 },
      isError: false,
    });
    expect(toMcp({ ...success, output: [1] })).toEqual({ content: [{ type: "text", text: "[\n  1\n]" }], isError: false });
    expect(toMcp({ ...success, output: null, content: [{ type: "resource", uri: "file:///a", text: "x" }] })).toEqual({
      content: [{ type: "resource", resource: { uri: "file:///a", text: "x" } }],
      isError: false,
    });
    expect(toMcp(failure)).toEqual({
      content: [{ type: "text", text: toHuman(failure) }],
      isError: true,
      _meta: { "bascule/error": errorAsJson },
    });
  });
});
