/** Parses a plugin's TypeScript, and reads the syntax tree's members, which the parser's own types do not describe. */

import { Parser } from "acorn";
import { tsPlugin } from "@sveltejs/acorn-typescript";

/** A node of the tree (ESTree with TypeScript's nodes). Read its members with the functions below. */
export interface SyntaxNode {
  readonly type: string;
  /** UTF-16 offsets in the file. */
  readonly start: number;
  readonly end: number;
}

/** A position in a file of the plugin; line and column from 1. */
export interface CodePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A mistake in the code, with a place for the code frame. */
export interface CodeProblem extends CodePlace {
  readonly message: string;
  readonly fix: string;
}

/** A parsed file. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
  readonly body: readonly SyntaxNode[];
  /** Block comments that begin with two stars, by their end. */
  readonly docs: readonly DocBlock[];
}

interface DocBlock {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const TypeScriptParser = Parser.extend(tsPlugin());

/** Parses a file, or returns its first syntax error. */
export function parseSource(file: string, text: string): SourceFile | CodeProblem {
  const docs: DocBlock[] = [];
  const onComment = (isBlock: boolean, content: string, start: number, end: number): void => {
    // A parser that tries two readings of a text reports a comment twice.
    if (isBlock && content.startsWith("*") && (docs.at(-1)?.start ?? -1) < start) docs.push({ start, end, text: content.slice(1) });
  };
  try {
    const program = TypeScriptParser.parse(text, {
      ecmaVersion: "latest",
      sourceType: "module",
      locations: true,
      allowHashBang: true,
      onComment,
    });
    return { file, text, body: program.body, docs };
  } catch (error) {
    // The engine throws a RangeError if the parser's recursion is too deep.
    if (error instanceof RangeError) return { file, line: 1, column: 1, message: "The code is nested too deeply", fix: "make it flatter" };
    if (!(error instanceof SyntaxError)) throw error;
    const offset = "pos" in error && typeof error.pos === "number" ? error.pos : 0;
    const message = error.message.replace(/ \(\d+:\d+\)$/u, "");
    return { ...placeIn(file, text, offset), message, fix: "correct the syntax" };
  }
}

/** Returns the place of an offset. */
export function placeIn(file: string, text: string, offset: number): CodePlace {
  const before = text.slice(0, offset).split(/\r\n|\n/u);
  return { file, line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** Returns the doc comment directly before an offset. One with an empty line after it belongs to the file. */
export function docBefore({ docs, text }: SourceFile, offset: number): DocBlock | undefined {
  const doc = docs.findLast(({ end }) => end <= offset);
  const between = doc === undefined ? "" : text.slice(doc.end, offset);
  return between.trim() === "" && !/\n[^\S\n]*\r?\n/u.test(between) ? doc : undefined;
}

/** Returns the member that is a node. */
export function nodeAt(node: SyntaxNode, key: string): SyntaxNode | undefined {
  const value = memberOf(node, key);
  return isNode(value) ? value : undefined;
}

/** Returns the nodes of a member that is a list. */
export function nodesAt(node: SyntaxNode | undefined, key: string): readonly SyntaxNode[] {
  const value = node === undefined ? undefined : memberOf(node, key);
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** Returns the member that is a string. */
export function textAt(node: SyntaxNode | undefined, key: string): string | undefined {
  const value = node === undefined ? undefined : memberOf(node, key);
  return typeof value === "string" ? value : undefined;
}

/** Returns whether the member is `true`. */
export function isTrue(node: SyntaxNode, key: string): boolean {
  return memberOf(node, key) === true;
}

/** Returns any member. */
export function memberOf(node: SyntaxNode, key: string): unknown {
  // The parser's nodes are plain data, whose members its types do not declare.
  const members = node as unknown as Readonly<Record<string, unknown>>;
  return Object.hasOwn(members, key) ? members[key] : undefined;
}

/** Returns the name of an identifier or the text of a string literal. */
export function nameOf(node: SyntaxNode | undefined): string | undefined {
  const literal = node?.type === "Literal" ? memberOf(node, "value") : undefined;
  if (typeof literal === "string" || typeof literal === "number") return String(literal);
  return node?.type === "Identifier" ? textAt(node, "name") : undefined;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
