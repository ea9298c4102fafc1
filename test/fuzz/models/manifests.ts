/**
 * The manifest reader on random and damaged documents: never throws, reports all problems with their positions, and enforces its bounds.
 */

import fc from "fast-check";
import { MANIFEST_BOUNDS, manifestToJson, parseManifest, type Problem } from "../../../manifests/mod.ts";
import { model, type Model } from "./model.ts";

const VALID = {
  schemaVersion: "1.0",
  name: "words",
  version: "1.0.0",
  description: "Counts words",
  permissions: { read: ["$workspace"], net: { allow: ["a.test:443"], deny: ["b.test"] }, env: ["A*"] },
  settingsSchema: { type: "object", properties: { unit: { type: "string", enum: ["a", "b"], default: "a" } } },
  limits: { wallMs: 1_000 },
  keywords: ["x"],
  tools: [
    {
      name: "count",
      description: "Counts",
      sideEffects: ["read"],
      inputSchema: {
        type: "object",
        properties: { path: { type: "string" }, deep: { type: "array", items: { type: "integer" } } },
        required: ["path"],
      },
      requires: [{ capability: "read", arg: "path" }],
      permissions: { read: ["$workspace/docs"] },
    },
  ],
};
const OLDER = {
  schema_version: "1.0",
  name: "old",
  version: "1.0.0",
  description: "Older spelling",
  tools: [
    {
      name: "run",
      description: "Runs",
      module: "a.b",
      parameters: { x: { type: "string", required: false } },
      side_effects: ["read_only"],
    },
  ],
};

const words = fc.constantFrom(
  "name",
  "tools",
  "$ref",
  "pattern",
  "__proto__",
  "constructor",
  "toString",
  "allow",
  "\u202e",
  "\ud800",
  "..",
  "/etc",
  "*".repeat(300),
  "",
);
const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e300, 1.5, [], {}, [[]], ["a"], { a: {} }),
  words,
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(words, fc.constantFrom<unknown>(1, "x", {}, [])),
);
/** The member to change, and its new value. */
const change = fc.tuple(fc.nat(), fc.constantFrom("replace", "remove", "add", "repeat"), words, junk);
const damaged = fc
  .tuple(fc.constantFrom<unknown>(VALID, OLDER), fc.array(change, { minLength: 1, maxLength: 4 }))
  .map(([document, changes]) => {
    const copy: unknown = structuredClone(document);
    for (const [at, how, word, value] of changes) {
      const places = containersOf(copy);
      const place = places[at % places.length] ?? {};
      const keys = Object.keys(place);
      const key = how === "add" ? word : (keys[at % Math.max(1, keys.length)] ?? word);
      if (how === "remove") Reflect.deleteProperty(place, key);
      else if (how === "repeat" && Array.isArray(place)) place.push(...structuredClone(place));
      else Object.defineProperty(place, key, { value: structuredClone(value), enumerable: true, configurable: true, writable: true });
    }
    return JSON.stringify(copy, null, 2);
  });
/** Cut, repeated and overwritten text. */
const brokenText = fc
  .tuple(damaged, fc.array(fc.tuple(fc.nat(), fc.string({ maxLength: 5, unit: "binary" })), { maxLength: 3 }))
  .map(([text, edits]) => {
    let broken = text;
    for (const [at, insert] of edits) broken = broken.slice(0, at % broken.length) + insert + broken.slice((at % broken.length) + (at % 7));
    return broken;
  });

export const manifestModels: readonly Model[] = [
  model(
    "manifests: any text is read or refused, with problems at existing positions [M4.positions]",
    fc.oneof(brokenText, fc.string({ maxLength: 200, unit: "binary" }), fc.json()),
    (text) => {
      const parsed = parseManifest(text);
      const problems = parsed.ok ? parsed.warnings : parsed.problems;
      if (!parsed.ok && problems.length === 0) throw new Error("Refused without a problem");
      if (problems.length > 1_000) throw new Error(`${problems.length} problems`);
      const lines = text.split(/\r\n|\r|\n/);
      for (const problem of problems) {
        const { line, column, message } = problem;
        if (message === "" || message.length > 2_000) throw new Error(`A message of ${message.length} characters`);
        if (line === undefined || column === undefined) continue;
        const on = lines[line - 1];
        if (on === undefined || column < 1 || column > on.length + 2) throw new Error(`${line}:${column} is not in the text (${message})`);
      }
    },
  ),
  model("manifests: a problem's position matches its pointer [M4.positions]", damaged, (text) => {
    const parsed = parseManifest(text);
    const document: unknown = JSON.parse(text);
    for (const problem of parsed.ok ? parsed.warnings : parsed.problems) requirePlace(text, document, problem);
  }),
  model("manifests: a manifest is the same after it is written and read again [M9.canonical]", damaged, (text) => {
    const parsed = parseManifest(text);
    if (!parsed.ok) return;
    const again = parseManifest(manifestToJson(parsed.value));
    if (!again.ok) throw new Error(`Not read again: ${JSON.stringify(again.problems)}`);
    // Assumed side effects are written explicitly.
    const plain = (value: unknown): string =>
      JSON.stringify(value, (key, member: unknown) => (key.startsWith("assumed") ? undefined : member));
    if (plain(again.value) !== plain(parsed.value)) throw new Error("Differs after reading it again");
  }),
  model(
    "manifests: a document above the bounds is refused at once [M4.size] [M4.depth]",
    fc.tuple(fc.integer({ min: 1, max: 2_000 }), fc.constantFrom("[", '{"a":'), fc.boolean()),
    ([depth, open, isLarge]) => {
      const nested = `${open.repeat(depth)}1${(open === "[" ? "]" : "}").repeat(depth)}`;
      const text = isLarge ? JSON.stringify({ ...VALID, notes: "x".repeat(MANIFEST_BOUNDS.maxBytes) }) : `{"x":${nested}}`;
      const parsed = parseManifest(text);
      const [first] = parsed.ok ? [] : parsed.problems;
      const wanted = isLarge ? /larger than/ : depth >= MANIFEST_BOUNDS.maxDepth ? /deeper than/ : /./;
      if (!wanted.test(first?.message ?? "")) throw new Error(`${first?.message ?? "nothing"} for a depth of ${depth}`);
    },
  ),
];

function containersOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersOf)];
}

/** Checks that the problem's line and column are the start of its pointer's value, of the key, or of the containing value. */
function requirePlace(text: string, document: unknown, { pointer, line, column, message }: Problem): void {
  if (line === undefined || column === undefined) return;
  const rest = text
    .split("\n")
    .slice(line - 1)
    .join("\n")
    .slice(column - 1);
  const tokens = pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  for (let length = tokens.length; length >= 0; length--) {
    const value = tokens
      .slice(0, length)
      .reduce<unknown>(
        (at, token) => (typeof at === "object" && at !== null && Object.hasOwn(at, token) ? Reflect.get(at, token) : NOT_THERE),
        document,
      );
    if (value === NOT_THERE) continue;
    const key = tokens[length - 1];
    const starts = [JSON.stringify(value)?.slice(0, 1) ?? "", ...(key === undefined ? [] : [JSON.stringify(key)])];
    if (starts.some((start) => rest.startsWith(start))) return;
    throw new Error(`${pointer} (${message}) is at ${line}:${column}: ${rest.slice(0, 20)}`);
  }
}

const NOT_THERE = Symbol("not there");
