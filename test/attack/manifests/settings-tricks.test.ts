import { expect, it } from "vitest";
import { parseManifest, parseProject } from "../../../manifests/mod.ts";
import { attacker } from "../../support/attacker.ts";

const schema = (settingsSchema: unknown): boolean =>
  parseManifest(
    JSON.stringify({
      schemaVersion: "1.0",
      name: "evil",
      version: "1.0.0",
      description: "x",
      settingsSchema,
      tools: [{ name: "a", description: "x", inputSchema: { type: "object" }, sideEffects: [] }],
    }),
  ).ok;

it("attack: settings whose schema is not an object, reads files, or has a default of another type [M6]", () => {
  for (const wrong of [
    [],
    1,
    "x",
    { type: "array" },
    { $ref: "file:///etc/passwd" },
    { type: "object", properties: { a: { pattern: "(a)\\1" } } },
  ])
    expect(schema(wrong), JSON.stringify(wrong)).toBe(false);
  expect(schema({ type: "object", properties: { a: { type: "string", default: "x" } } })).toBe(true);
});

it("attack: a project's settings contain keys that set prototypes [M6]", () => {
  for (const text of [
    '{"settings": {"evil": {"__proto__": {"admin": true}}}}',
    '{"__proto__": {"policy": {}}}',
    '{"plugins": {"__proto__": 1}}',
  ])
    expect(parseProject(text).ok, text).toBe(false);
});

const EVIL = `
export const change = (args, { settings }) => { try { settings.a = "changed"; settings.nested.b = "changed"; delete settings.nested } catch {} return 1 };
export const see = (args, { settings }) => settings;
export const inherited = (args, { settings }) => [Object.getPrototypeOf(settings) === Object.prototype, settings.admin ?? null, {}.admin ?? null];
`;

it("attack: a tool changes its settings for the next call [B2] [M6]", async () => {
  const { call } = await attacker(EVIL);
  const settings = JSON.parse('{"a": "kept", "nested": {"b": "kept"}, "__proto__": {"admin": true}}');
  const context = { cwd: "/work", sessionId: "s", callId: "call", workspacePath: "/work", settings, permissions: {}, deadline: 0 };
  expect(await call("change", { context })).toBe(1);
  expect(await call("see", { context })).toMatchObject({ a: "kept", nested: { b: "kept" } });
  expect(await call("inherited", { context })).toEqual([true, null, null]);
});
