import { describe, expect, it } from "vitest";
import type { ConfirmationRequest } from "../../../../host/call/call.ts";
import { argumentText } from "../../../../host/doors/cli/argument-text.ts";
import { answerOf } from "../../../../host/doors/cli/confirm.ts";
import { grantForAlways } from "../../../../host/confirmations/always-grant.ts";
import { problemLines } from "../../../../host/doors/cli/frame.ts";
import { createOutput, type Output } from "../../../../host/doors/cli/output.ts";
import { progressText } from "../../../../host/doors/cli/progress-text.ts";
import { startScreen } from "../../../../host/doors/cli/start-screen.ts";
import { createTerminalLog } from "../../../../host/doors/cli/terminal-log.ts";
import type { HostStatus, PluginView, ToolView } from "../../../../host/doors/operations.ts";
import { FileError } from "../../../../host/platform/platform.ts";
import { createStyle } from "../../../../host/primitives/style.ts";
import { textWidth } from "../../../../host/primitives/text.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

describe("progressText()", () => {
  it.each([
    [{ progress: 1, total: 2, message: "half" }, "██████████░░░░░░░░░░  50 %  half"],
    [{ progress: 9, total: 3 }, "████████████████████ 100 %"],
    [{ progress: -1, total: 3 }, "░░░░░░░░░░░░░░░░░░░░   0 %"],
    [{ progress: 7, message: "seven\n" }, "7  seven\\n"],
    [{ message: "only words" }, "only words"],
    [{ other: true }, '{"other":true}'],
    ["text\x1b[2J", "text\\x1b[2J"],
    [[1], "[1]"],
  ] as const)("formats %j [I7.progress]", (value, text) => {
    expect(progressText(value as Parameters<typeof progressText>[0])).toBe(text);
  });
});

describe("argumentText()", () => {
  it("writes arguments as call takes them, on one bounded line [I7.line]", () => {
    expect(argumentText({ path: "a.txt", lines: 2, text: "two words", empty: "", list: [1] }, 100)).toBe(
      'path=a.txt lines=2 text="two words" empty="" list=[1]',
    );
    expect(argumentText({ text: "x".repeat(1_000), more: 1 }, 20)).toHaveLength(20);
    expect(argumentText({ path: "/w/a.txt", other: "/wide" }, 100, "/w")).toBe("path=a.txt other=/wide");
    expect(argumentText({}, 20)).toBe("");
    expect(argumentText({ text: "a\x1b[2J" }, 40)).toBe("text=a\\x1b[2J");
  });
});

describe("grantForAlways()", () => {
  const request = (permission?: ConfirmationRequest["permission"]): ConfirmationRequest => ({
    ...{ requestId: "1", callId: "2", tool: "demo.peek", plugin: "demo", args: {}, class: "read", destructive: false },
    ...{ projectedModifications: [], hash: "" },
    ...(permission && { permission }),
  });

  it("grants only what is shown: the path with its link's target, the host, the name [E5.always]", () => {
    expect(grantForAlways(request({ kind: "read", value: "/w/a", leadsTo: "/real/a" }))).toEqual({ read: ["/w/a", "/real/a"] });
    expect(grantForAlways(request({ kind: "net", value: "example.com:443" }))).toEqual({ net: ["example.com:443"] });
    expect(grantForAlways(request({ kind: "env", value: "HOME" }))).toEqual({ env: ["HOME"] });
  });

  it.each([
    ["a call", undefined],
    ["all of a kind", { kind: "read" }],
    ["a pattern of variables", { kind: "env", value: "AWS_*" }],
    ["a pattern of hosts", { kind: "net", value: "*.example.com" }],
    ["a range of addresses", { kind: "net", value: "10.0.0.0/8" }],
    ["a path that would be a pattern", { kind: "write", value: "/w/*.txt" }],
    ["a link to one", { kind: "read", value: "/w/a", leadsTo: "/w/*" }],
    ["a program", { kind: "run", value: "git" }],
  ] as const)("does not offer it for %s, and takes the answer as a no [E5.always]", (_what, permission) => {
    expect(grantForAlways(request(permission))).toBeUndefined();
    expect(answerOf("a", request(permission))).toBe("no");
    expect(answerOf("y", request(permission))).toBe("yes");
  });
});

describe("createTerminalLog()", () => {
  it("writes one line for a file that cannot be written, a stack for a defect, and commands as the user types them [DI6.expected]", () => {
    const lines: string[] = [];
    const output = createOutput(memoryPlatform(), { json: false, color: false, program: "npx bascule" });
    const log = createTerminalLog({ output: { ...output, note: (text) => void lines.push(text) }, level: "warn" });
    const cause = new FileError("permission_denied", "Permission denied");
    log.write("error", "Cannot keep it (bascule trust shows it)", { error: new Error("Cannot write it", { cause }) });
    log.write("error", "Cannot go on", { error: new TypeError("odd") });
    expect(lines).toEqual([
      "error    Cannot keep it (npx bascule trust shows it) error=Cannot write it",
      expect.stringMatching(/^error {4}Cannot go on error=odd\n +TypeError: odd\n +at /u),
    ]);
  });
});

describe("problemLines()", () => {
  const style = createStyle(false);
  const long = `const text = ${"x".repeat(60)}; nope();`;

  it("marks where a line is cut, and shows the lines around it from their beginning [I7.frame]", () => {
    const at = { severity: "error", pointer: "", message: "wrong", file: "main.ts", line: 2, column: long.indexOf("nope") + 1 } as const;
    const frame = { first: 1, lines: ["function short() {", long, "}"] };
    expect(problemLines({ ...at, frame }, { folder: "demo", columns: 52, program: "bascule", style })).toEqual([
      "error demo/main.ts:2:76 wrong",
      "    1 | function short() {",
      `  > 2 | …${"x".repeat(21)}; nope();`,
      `      | ${" ".repeat(24)}^`,
      "    3 | }",
    ]);
    expect(problemLines({ ...at, column: 7, frame }, { folder: "demo", columns: 52, program: "bascule", style })[2]).toBe(
      `  > 2 | const text = ${"x".repeat(26)}…`,
    );
  });
});

describe("startScreen()", () => {
  const tool = (name: string): ToolView => ({
    ...{ name, qualifiedName: `p.${name}`, source: "plugin", description: "Does something that takes some words to say", class: "none" },
    ...{ sideEffects: [], destructive: false, inputSchema: {}, route: "wasm" },
  });
  const plugin = (index: number, tools: number, missing = {}): PluginView => ({
    ...{ name: `plugin${index}`, state: "loaded", directory: `/w/plugins/plugin${index}`, version: "1.0.0", description: "A plugin" },
    ...{ tools: Array.from({ length: tools }, (_, at) => tool(`tool_${index}_${at}`)), problems: [], requested: {}, granted: {}, missing },
    limits: [],
  });
  const status: HostStatus = {
    ...{ version: "0.1.0", pid: 1, root: "/w", workspace: "/w", pluginRoots: ["/w/plugins"], plugins: 0, tools: 0 },
    ...{ grantProblems: [], notices: [] },
  };
  const { style: _style, ...rest } = createOutput(memoryPlatform(), { json: false, color: false, program: "bascule" });
  const outputOf = (columns: number, program = "bascule"): Output => ({ ...rest, style: createStyle(false), columns, program });
  const screen = (plugins: readonly PluginView[], output = outputOf(80), about = status): readonly string[] =>
    startScreen(about, plugins, output, { cwd: "/w", workspace: "/w" });
  const many = (length: number, missing = {}): readonly PluginView[] => Array.from({ length }, (_, at) => plugin(at, 3, missing));
  const everything = { read: ["$workspace"], write: ["$workspace"], net: true, env: true };
  const notices = Array.from({ length: 9 }, (_, at) => `Notice ${at}: ${"words ".repeat(20)}`);

  it.each([
    ["no plugin", []],
    ["one plugin", [plugin(1, 4)]],
    ["a plugin with many tools", [plugin(1, 40)]],
    ["eleven plugins that wait", many(11, everything)],
    ["many plugins", many(30)],
    ["200 plugins that wait", many(200, everything)],
  ])("fits 80 and 60 columns and 24 rows with %s, for a long program and with notices [DI6.fits] [I2.start-screen]", (_what, plugins) => {
    for (const columns of [80, 60])
      for (const program of ["bascule", "node bin/bascule.mjs", `node /${"long/".repeat(20)}bascule.mjs`])
        for (const about of [status, { ...status, notices }]) {
          const lines = screen(plugins, outputOf(columns, program), about);
          const rows = lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
          expect([rows < 24, lines.filter((line) => textWidth(line) > columns)]).toEqual([true, []]);
        }
  });

  it("shows one line a plugin, decisions first, each with its command, and one command to type next [DI6.screen]", () => {
    const wide = { ...plugin(2, 1), name: "wide", description: "表を描く 表を描く 表を描く 表を描く 表を描く 表を描く 表を描く 表を描く" };
    const failed = { ...plugin(3, 0), state: "failed" as const, problems: [{ severity: "error" as const, pointer: "", message: "No" }] };
    expect(screen([plugin(1, 1), wide, plugin(99, 1, { read: ["/w"], write: ["/w"] }), failed], outputOf(60))).toEqual([
      "bascule 0.1.0  4 plugins, 3 tools  in plugins",
      "",
      "  ! plugin99  wants read/write   bascule grant plugin99",
      "  ✗ plugin3   does not load: No  bascule list plugin3",
      "  ✓ plugin1   A plugin",
      "  ✓ wide      表を描く 表を描く 表を描く 表を描く 表を描く…",
      "",
      "Next, in another terminal: bascule call tool_1_0",
      "",
      "Watching for changes. Press Ctrl-C to stop.",
      "",
    ]);
  });

  it("counts the plugins that do not fit, and the decisions among them [DI6.count] [I2.start-screen]", () => {
    const lines = screen([...many(30), plugin(99, 1, { read: ["/w"] })]);
    expect(lines[2]).toBe("  ! plugin99  wants read  bascule grant plugin99");
    expect(lines).toContain("    and 17 more plugins: bascule list");
    expect(screen(many(200, everything))).toContain("    and 186 more plugins (186 to decide): bascule list");
  });

  it("says what bascule stands for if the typed program leaves no room, and keeps a short one [DI6.program]", () => {
    expect(screen(many(3, everything), outputOf(60, "node bin/bascule.mjs"))).toContain("(bascule stands for: node bin/bascule.mjs)");
    expect(screen(many(3, everything), outputOf(80, "npx bascule")).join("\n")).toContain("  npx bascule grant plugin2\n");
    expect(screen(many(3), outputOf(80, "npx bascule")).at(-2)).toBe(
      "Watching for changes. Press Ctrl-C to stop. Details: npx bascule info <name>.",
    );
  });
});
