import { describe, expect, it } from "vitest";
import { parseProject } from "../../manifests/mod.ts";

const LOOK = { name: "look", description: "Looks", inputSchema: { type: "object" }, sideEffects: ["read"] };

function problemsOf(...tools: readonly object[]): readonly string[] {
  const parsed = parseProject(JSON.stringify({ tools }));
  return parsed.ok ? [] : parsed.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
}

describe("parseProject(): tools", () => {
  it("reads definitions like those of a manifest, with a module or another host's URL [R10]", () => {
    const parsed = parseProject(
      JSON.stringify({
        tools: [
          { ...LOOK, module: "./tools/look.ts", export: "run" },
          { ...LOOK, name: "far", remote: { url: "https://example.org:8443/" } },
        ],
      }),
    );
    expect(parsed.ok && parsed.value.tools).toMatchObject([
      { definition: { name: "look", module: "tools/look.ts", export: "run", callers: ["direct"], determinism: "nondeterministic" } },
      { definition: { name: "far" }, remote: { url: "https://example.org:8443/" } },
    ]);
    expect(parsed.ok && parsed.value.tools[1]?.definition).not.toHaveProperty("module");
  });

  it.each([
    ["neither of both", {}, '/tools/0: Tool has neither "remote" nor "module"'],
    ["both of them", { module: "a.ts", remote: { url: "https://example.org" } }, '/tools/0: Tool has both "remote" and "module"'],
    ["a module outside", { module: "../a.ts" }, expect.stringContaining("/tools/0/module: ")],
    ["no URL", { remote: {} }, '/tools/0/remote: Remote has no "url"'],
    ["a URL of files", { remote: { url: "file:///etc/passwd" } }, expect.stringContaining("/tools/0/remote/url: ")],
    ["a URL with credentials", { remote: { url: "https://me:key@example.org" } }, "/tools/0/remote/url: Contains credentials"],
    [
      "an export without a module",
      { export: "x", remote: { url: "https://example.org" } },
      expect.stringContaining('"export" without a "module"'),
    ],
    ["an unknown field", { module: "a.ts", url: "x" }, '/tools/0/url: Unknown field "url" in tool'],
  ])("refuses a tool with %s [R10]", (_name, fields, problem) => {
    expect(problemsOf({ ...LOOK, ...fields })).toContainEqual(problem);
  });

  it("refuses two tools with the same name, and names that look alike [R10, M5]", () => {
    expect(problemsOf({ ...LOOK, module: "a.ts" }, { ...LOOK, module: "b.ts" })).toContainEqual(
      '/tools/1/name: Duplicate tool name "look"',
    );
    expect(problemsOf({ ...LOOK, module: "a.ts" }, { ...LOOK, name: "l00k", module: "b.ts" })).toContainEqual(
      expect.stringContaining('looks like "look"'),
    );
  });
});

describe("parseProject(): trusted", () => {
  it("reads names, their pinned hashes, and whether they are confined [O1.untrusted, P1]", () => {
    const digest = "a".repeat(64);
    const parsed = parseProject(
      JSON.stringify({ trusted: ["words", "look_up", { name: "code", digest }, { name: "far", unconfined: true }] }),
    );
    expect(parsed.ok && parsed.value.trusted).toEqual([
      { name: "words", unconfined: false },
      { name: "look_up", unconfined: false },
      { name: "code", unconfined: false, digest },
      { name: "far", unconfined: true },
    ]);
    const wrong = parseProject(JSON.stringify({ trusted: ["no name", { name: "code", digest: "abc" }, { name: "x", confined: true }] }));
    expect(wrong.ok || wrong.problems.map(({ pointer }) => pointer)).toEqual([
      "/trusted/0/name",
      "/trusted/1/digest",
      "/trusted/2/confined",
    ]);
  });
});
