import { describe, expect, it } from "vitest";
import { learnLines } from "../../../host/doors/cli/learn-text.ts";
import { createStyle } from "../../../host/primitives/style.ts";
import { createActCollector, type RecordedActs } from "../../../host/audit/acts.ts";
import { learn, type Learned } from "../../../host/plugins/learn/learn.ts";
import { createMaximum } from "../../../host/plugins/learn/maximum.ts";

const BASES = { base: "/p/plugins/demo", plugin: "/p/plugins/demo", workspace: "/p", home: "/home/me", tmp: "/tmp" };

function learnFrom(values: Iterable<readonly [kind: string, value: string]>): { recorded: RecordedActs; learned: Learned } {
  const collector = createActCollector({ plugin: "demo", requires: () => [], bases: BASES });
  for (const [permission, value] of values) {
    const payload = { permission, value, decision: "granted", layer: "user grant", method: "GET" };
    collector.add({ type: "capability.used", time: 1, plugin: "demo", callId: "c", sessionId: "s", payload });
  }
  const recorded = collector.collected();
  return { recorded, learned: learn(recorded.acts, { maximum: createMaximum({ read: true, net: true, env: true }, BASES) }) };
}

describe("a plugin that wants learn to propose more than it needs", () => {
  it("gets a bounded number of lines for a flood of distinct paths, hosts and names, and the rest is counted [P9.flood]", () => {
    const flood = function* (): Generator<readonly [string, string]> {
      for (let index = 0; index < 30_000; index++) {
        yield ["read", `/p/${index % 3000}/${"d/".repeat(index % 60)}${index}`];
        yield ["net", `h${index}.example:443`];
        yield ["env", `V${index}`];
      }
    };
    const { recorded, learned } = learnFrom(flood());
    expect(recorded.acts).toHaveLength(5_000);
    expect(recorded.dropped).toBe(85_000);
    expect(learned.lines.length).toBeLessThanOrEqual(96);
    expect(learned.leftOut).toHaveLength(20);
    expect(learned.leftOutMore).toBeGreaterThan(1_000);
    expect(JSON.stringify(learned).length).toBeLessThan(100_000);
  });

  it("cannot make it propose the root, the home folder, or a folder above the workspace [P9.root]", () => {
    const scattered = Array.from({ length: 500 }, (_, index) => ["read", `/${"abcdefgh"[index % 8]}${index}/f`] as const);
    const named = ["/", "//", "/.", "/*", "/**", "/[a]", "/home/*", "/home/me/*", "/home/me/[x]", "/p/../*"].map(
      (path) => ["read", path] as const,
    );
    const { learned } = learnFrom([...scattered, ...named]);
    for (const { item } of learned.lines) expect(item).not.toMatch(/^(?:\/|\/\*.*|\/home(?:\/me)?|\$home|\$workspace)$/);
  });

  it("gets no folder for a file whose name reads as a pattern, whether the file exists or not [P9.exact]", () => {
    const { learned } = learnFrom([
      ["read", "/p/src/*"],
      ["read", "/p/src/[a-z].ts"],
      ["read", "/p/docs/a.md"],
    ]);
    expect(learned.permissions).toEqual({ read: ["$workspace/docs/a.md"] });
    expect(learned.leftOut.map(({ value, reason }) => [value, reason.includes("grant its folder yourself")])).toEqual([
      ["/p/src/*", true],
      ["/p/src/[a-z].ts", true],
    ]);
  });

  it("cannot control the terminal through names [P9.inert]", () => {
    const hostile = ["/p/\x1b[2J", "/p/\u202egpj.exe", "/p/a\nGranted: everything", "/p/\u{e0041}", `/p/docs/'; rm -rf ~ #`];
    const { recorded, learned } = learnFrom([...hostile.map((path) => ["read", path] as const), ["env", "A\x07"], ["net", "\x1b]0;x:80"]]);
    const told = { plugin: "demo", ...recorded, ...learned, unused: { manifest: [], grants: [] }, command: "bascule grant demo" };
    const lines = learnLines(told, { style: createStyle(false), room: Infinity });
    expect(lines.join("")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    // No item contains invisible characters.
    expect(JSON.stringify(learned.permissions)).not.toMatch(/\\u|\x1b|\u202e/);
  });
});
