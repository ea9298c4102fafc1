/**
 * Finds the tests that name rows of the specification: `it("does not run a denied call [D1]")`, with a facet if the row states
 * several things.
 */

import { parseAst } from "vitest/node";

/** A test title that names a row. */
export interface Proof {
  readonly id: string;
  readonly facet?: string;
  /** Path relative to the repository. */
  readonly file: string;
  /** The title without its ids. */
  readonly title: string;
}

const ID_GROUP = /\[((?:[A-Z]{1,2}\d{1,2}(?:\.[\w-]+)?)(?:[, ]+[A-Z]{1,2}\d{1,2}(?:\.[\w-]+)?)*)\]/g;

/** Returns every row that a test file's titles name. Tests that never run (`it.skip`, `it.todo`) prove nothing and are left out. */
export function findProofs(file: string, text: string): readonly Proof[] {
  const tree: unknown = parseAst(text, { lang: "ts" });
  return [...titlesIn(tree)].flatMap((title) => proofsOfTitle(file, title));
}

function proofsOfTitle(file: string, title: string): Proof[] {
  const plain = title.replaceAll(ID_GROUP, "").replaceAll(/\s+/g, " ").trim();
  return [...title.matchAll(ID_GROUP)]
    .flatMap((match) => (match[1] ?? "").split(/[, ]+/))
    .map((name) => {
      const [id = "", facet] = name.split(".");
      return { id, ...(facet !== undefined && { facet }), file, title: plain };
    });
}

function* titlesIn(node: unknown): Generator<string> {
  if (!isRecord(node) || isSwitchedOff(node)) return;
  if (node["type"] === "CallExpression" && isTestCall(node["callee"]) && Array.isArray(node["arguments"])) {
    const title = textOf(node["arguments"][0]);
    if (title !== undefined) yield title;
  }
  for (const value of Object.values(node)) if (typeof value === "object") yield* titlesIn(value);
}

/** `describe.skip(…)`, `it.todo(…)`: tests inside never run. */
function isSwitchedOff(node: Record<string, unknown>): boolean {
  const callee = node["callee"];
  if (!isRecord(callee) || callee["type"] !== "MemberExpression" || !isRecord(callee["property"])) return false;
  const [object, property] = [callee["object"], callee["property"]["name"]];
  const isSuite = isRecord(object) && ["describe", "it", "test"].includes(String(object["name"]));
  return isSuite && (property === "skip" || property === "todo");
}

/** `it`, `it.each(…)`, `test.concurrent`, … */
function isTestCall(callee: unknown): boolean {
  if (!isRecord(callee)) return false;
  if (callee["type"] === "Identifier") return callee["name"] === "it" || callee["name"] === "test";
  if (callee["type"] === "MemberExpression") return isTestCall(callee["object"]);
  if (callee["type"] === "CallExpression") return isTestCall(callee["callee"]);
  return callee["type"] === "TaggedTemplateExpression" && isTestCall(callee["tag"]);
}

function textOf(node: unknown): string | undefined {
  if (!isRecord(node)) return undefined;
  if (node["type"] === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node["type"] === "BinaryExpression") return `${textOf(node["left"]) ?? "…"}${textOf(node["right"]) ?? "…"}`;
  if (node["type"] !== "TemplateLiteral" || !Array.isArray(node["quasis"])) return undefined;
  return node["quasis"].map((quasi) => (isRecord(quasi) && isRecord(quasi["value"]) ? String(quasi["value"]["cooked"]) : "")).join("…");
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
