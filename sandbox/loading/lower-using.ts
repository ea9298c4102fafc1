/**
 * Rewrites syntax that the engine does not support, by inserting text without moving lines: `using` and `await using`
 * (https://tc39.es/proposal-explicit-resource-management/) become a scope (`sandbox/guest/language/using-scope.ts`) with `try … finally`, and
 * imports of texts get a marked name, so that the loader can distinguish them from modules.
 */

import type { AnyNode, BlockStatement, Expression, ForOfStatement, Literal, Node, Program, StaticBlock, VariableDeclaration } from "acorn";
import type { Edit, Insertion } from "./positions.ts";

/** Marks the name of a module that is imported as text. */
export const TEXT_QUERY = "?bascule-text";

/** Syntax that cannot be rewritten, with its offset. */
export class Unsupported extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.name = "Unsupported";
    this.at = at;
  }
}

/** True if the code may need a parser. Cheap, and may be true without reason. */
export function mayNeedParser(code: string): boolean {
  return USING.test(code) || TYPED_IMPORT.test(code);
}

/** Matches code with and without types. */
const USING = /\busing[ \t]+[\p{ID_Start}$_][\p{ID_Continue}$]*\s*(?:[=:]|of\b)/u;
const TYPED_IMPORT = /\btype["']?\s*:\s*["'](?:text|bytes)["']/;

/** Changes to the code. */
export interface Lowering {
  readonly edits: readonly Edit[];
  /** Replacements with text of the same length. */
  readonly replacements: readonly Insertion[];
}

/** The prelude's module for `using`. */
export const USING_MODULE = "bascule:prelude/using-scope.ts";

/** @throws {Unsupported} for imports of bytes */
export function lowerUsing(program: Program, code: string): Lowering {
  const edits: Edit[] = [];
  const replacements: Insertion[] = [];
  const prefix = unusedName(code, "$using");
  let count = 0;
  visit(program, undefined);
  if (count > 0) edits.unshift({ at: 0, text: `import{UsingScope as ${prefix}}from"${USING_MODULE}";` });
  return { edits, replacements };

  /** @param start start of the labels before a statement, which stay with its loop */
  function visit(node: AnyNode, start: number | undefined): void {
    // Closed after the children, so that the closing text follows theirs.
    const close = begin(node, start ?? node.start);
    const labelled = node.type === "LabeledStatement" ? (start ?? node.start) : undefined;
    for (const child of childrenOf(node)) visit(child, labelled);
    close?.();
  }

  function begin(node: AnyNode, start: number): (() => void) | undefined {
    switch (node.type) {
      case "BlockStatement":
      case "StaticBlock":
        return beginBlock(node);
      case "Program":
        return beginModule(node);
      case "ForStatement":
        return isUsing(node.init) ? beginHead(node.init, { start, end: node.end }) : undefined;
      case "ForOfStatement":
        return isUsing(node.left) ? beginLoop(node, node.left) : undefined;
      case "ImportDeclaration":
      case "ExportNamedDeclaration":
      case "ExportAllDeclaration":
        if (node.source) markText(node.source, typeOf(node.attributes));
        return undefined;
      case "ImportExpression":
        markDynamicText(node.source, node.options);
        return undefined;
      default:
        return undefined;
    }
  }

  function beginBlock(block: BlockStatement | StaticBlock): (() => void) | undefined {
    const found = block.body.filter(isUsing);
    if (found.length === 0) return undefined;
    const from = block.type === "StaticBlock" ? afterSpace(code, block.start + "static".length) : block.start;
    const scope = beginScope(from + 1);
    for (const declaration of found) useValues(declaration, scope);
    return () => endScope(block.end - 1, scope, found.some(isAwaitUsing));
  }

  /**
   * Rewrites `using` at the top level of a module. A block is not possible there, because it would contain the exports. So resources are
   * disposed of at the module's end, and not if it throws before: such a module, and the plugin that needs it, is not loaded.
   */
  function beginModule(program: Program): (() => void) | undefined {
    const found = program.body.filter(isUsing);
    if (found.length === 0) return undefined;
    const scope = `${prefix}${count++}`;
    edits.push({ at: 0, text: `const ${scope}=new ${prefix};` });
    for (const declaration of found) useValues(declaration, scope);
    return () => void edits.push({ at: code.length, text: `\n;${disposal(scope, found.some(isAwaitUsing))};` });
  }

  /** Rewrites `for (using x = y; …) z` to `{ for (const x = y, … = use(x); …) z }`. */
  function beginHead(init: VariableDeclaration, { start, end }: Pick<Node, "start" | "end">): () => void {
    edits.push({ at: start, text: "{" });
    const scope = beginScope(start);
    useValues(init, scope);
    return () => {
      endScope(end, scope, isAwaitUsing(init));
      edits.push({ at: end, text: "}" });
    };
  }

  /** Registers each value after its declaration, because an anonymous function takes its name from the declaration. */
  function useValues(declaration: VariableDeclaration, scope: string): void {
    replaceKeyword(declaration);
    for (const { id, end } of declaration.declarations)
      edits.push({ at: end, text: `,${prefix}${count++}=${use(scope, id, declaration)}` });
  }

  function use(scope: string, id: Node, declaration: VariableDeclaration): string {
    return `${scope}.${isAwaitUsing(declaration) ? "useAsync" : "use"}(${code.slice(id.start, id.end)})`;
  }

  /** Rewrites `for (using x of y) z` to `for (const x of y) { use(x); z }`. */
  function beginLoop(loop: ForOfStatement, left: VariableDeclaration): () => void {
    replaceKeyword(left);
    edits.push({ at: loop.body.start, text: "{" });
    const scope = beginScope(loop.body.start);
    for (const { id } of left.declarations) edits.push({ at: loop.body.start, text: `${use(scope, id, left)};` });
    return () => {
      endScope(loop.body.end, scope, isAwaitUsing(left));
      edits.push({ at: loop.body.end, text: "}" });
    };
  }

  function beginScope(at: number): string {
    const scope = `${prefix}${count++}`;
    edits.push({ at, text: `const ${scope}=new ${prefix};try{` });
    return scope;
  }

  /** Throws an error of the block after all resources were disposed of. An error of disposal suppresses it. */
  function endScope(at: number, scope: string, isAsync: boolean): void {
    edits.push({ at, text: `;}catch(${scope}e){${scope}.fail(${scope}e)}finally{${disposal(scope, isAsync)}}` });
  }

  /** Replaces `using` with `const`, which has the same length. */
  function replaceKeyword(declaration: VariableDeclaration): void {
    const { start } = declaration;
    const isAwait = isAwaitUsing(declaration);
    if (isAwait) replacements.push({ at: start, text: "     " });
    replacements.push({ at: isAwait ? afterSpace(code, start + "await".length) : start, text: "const" });
  }

  function markText(source: Literal, kind: string | undefined): void {
    refuseBytes(kind, source);
    if (kind === "text") edits.push({ at: source.end - 1, text: TEXT_QUERY });
  }

  function markDynamicText(source: Expression, options: Expression | null): void {
    const kind = options === null ? undefined : typeOf(attributesIn(options));
    refuseBytes(kind, source);
    if (kind === "text") edits.push({ at: source.start, text: "(" }, { at: source.end, text: `)+"${TEXT_QUERY}"` });
  }
}

function disposal(scope: string, isAsync: boolean): string {
  return isAsync
    ? `while(${scope}.next())try{await ${scope}.awaited}catch(e){${scope}.fail(e)}${scope}.end()`
    : `${scope}.next();${scope}.end()`;
}

function refuseBytes(kind: string | undefined, node: Node): void {
  if (kind === "bytes")
    throw new Unsupported(
      'Imports of type "bytes" are not supported: read the file with Deno.readFile(new URL(…, import.meta.url))',
      node.start,
    );
}

function isUsing(node: AnyNode | null | undefined): node is VariableDeclaration {
  return node?.type === "VariableDeclaration" && (node.kind === "using" || node.kind === "await using");
}

function isAwaitUsing(declaration: VariableDeclaration): boolean {
  return declaration.kind === "await using";
}

/** Returns the `type` among import attributes. */
function typeOf(attributes: readonly AnyNode[]): string | undefined {
  for (const attribute of attributes) {
    if (attribute.type !== "ImportAttribute" && attribute.type !== "Property") continue;
    const { key, value } = attribute;
    const name = key.type === "Identifier" ? key.name : key.type === "Literal" ? key.value : undefined;
    if (name === "type" && value.type === "Literal" && typeof value.value === "string") return value.value;
  }
  return undefined;
}

function attributesIn(options: AnyNode): readonly AnyNode[] {
  if (options.type !== "ObjectExpression") return [];
  for (const property of options.properties) {
    if (property.type !== "Property" || property.key.type !== "Identifier" || property.key.name !== "with") continue;
    return property.value.type === "ObjectExpression" ? property.value.properties : [];
  }
  return [];
}

/** Returns the start of the next token, after spaces and comments. */
export function afterSpace(code: string, from: number): number {
  return from + (SPACE.exec(code.slice(from))?.[0] ?? "").length;
}

const SPACE = /^(?:\s|\/\*(?:[^*]|\*(?!\/))*\*\/|\/\/.*)*/;

/** Returns every child node, regardless of the member's name. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  return Object.values(node).flatMap((member: unknown) => (Array.isArray(member) ? member.filter(isNode) : isNode(member) ? [member] : []));
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Returns a variable name that does not occur in the code. */
export function unusedName(code: string, request: string): string {
  let name = request;
  while (code.includes(name)) name += "$";
  return name;
}
