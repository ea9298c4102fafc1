import { expect, it } from "vitest";
import { parseManifest, type Problem } from "../../../manifests/mod.ts";

const tool = (name: string): object => ({ name, description: "x", inputSchema: { type: "object" }, sideEffects: [] });
const manifest = (more: object): string =>
  JSON.stringify({ schemaVersion: "1.0", name: "evil", version: "1.0.0", description: "x", tools: [tool("a")], ...more });
function problemsOf(text: string): readonly Problem[] {
  const parsed = parseManifest(text);
  return parsed.ok ? [] : parsed.problems;
}

it("attack: a plugin with so many tools that no other plugin is seen [M4.tools]", () => {
  const tools = Array.from({ length: 1_000 }, (_, index) => tool(`t${index}`));
  expect(problemsOf(manifest({ tools }))).toMatchObject([{ pointer: "/tools" }]);
});

it.each([
  ["tags", { tools: [{ ...tool("a"), tags: Array.from({ length: 10_000 }, (_, i) => `t${i}`) }] }],
  ["keywords", { keywords: Array.from({ length: 10_000 }, (_, i) => `k${i}`) }],
  ["permissions", { permissions: { read: Array.from({ length: 10_000 }, (_, i) => `/a/${i}`) } }],
  ["side effects", { tools: [{ ...tool("a"), sideEffects: Array.from({ length: 10_000 }, () => "read") }] }],
  ["requirements", { tools: [{ ...tool("a"), requires: Array.from({ length: 10_000 }, () => ({ capability: "read", arg: "p" })) }] }],
  ["unknown fields", Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`field${i}`, 1]))],
  ["long names", { tools: [tool("x".repeat(10_000))] }],
])("attack: a manifest with floods of %s gets a bounded answer [M4.bounds]", (_what, more) => {
  const problems = problemsOf(manifest(more));
  expect(problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(problems).length).toBeLessThan(200_000);
});
