/**
 * Rewrites what the engine's parser does not know, by putting text into the code and moving no line: `using` and
 * `await using` (https://tc39.es/proposal-explicit-resource-management/) become a stack and `try … finally`, and imports
 * of texts are named so that the loader knows them from modules.
 */

import type { AnyNode, BlockStatement, Expression, ForOfStatement, Literal, Node, Program, StaticBlock, VariableDeclaration } from "acorn";
import type { Insertion } from "./positions.ts";

/** Marks the name of a module whose text is wanted, not its code. */
export const TEXT_QUERY = "?bascule-text";

/** What no rewriting can help, with its place (an offset). */
export class Unsupported extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.name = "Unsupported";
    this.at = at;
  }
}

/** True if the code may need a parser; cheap, and sometimes true for nothing. */
export function mayNeedParser(code: string): boolean {
  return USING.test(code) || TYPED_IMPORT.test(code);
}

/** With and without types. */
const USING = /\busing[ \t]+[\p{ID_Start}$_][\p{ID_Continue}$]*\s*(?:[=:]|of\b)/u;
const TYPED_IMPORT = /\btype["']?\s*:\s*["'](?:text|bytes)["']/;

/** What has to change in the code. */
export interface Lowering {
  readonly insertions: readonly Insertion[];
  /** Text of the same length in place of what stands there. */
  readonly replacements: readonly Insertion[];
}

/** @throws {Unsupported} for `using` in the head of a counting loop. */
export function lowerUsing(program: Program, code: string): Lowering {
  const insertions: Insertion[] = [];
  const replacements: Insertion[] = [];
  const prefix = unusedName(code, "$using");
  let count = 0;
  visit(program);
  return { insertions, replacements };

  function visit(node: AnyNode): void {
    refuseMisplaced(node);
    // What closes comes after what the parts inside of it close with.
    const close = begin(node);
    for (const child of childrenOf(node)) visit(child);
    close?.();
  }

  function begin(node: AnyNode): (() => void) | undefined {
    switch (node.type) {
      case "BlockStatement":
      case "StaticBlock":
        return beginBlock(node);
      case "Program":
        return beginModule(node);
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
    const from = block.type === "StaticBlock" ? code.indexOf("{", block.start) : block.start;
    const isAsync = found.some(isAwaitUsing);
    const stack = beginStack(from + 1, isAsync);
    for (const declaration of found) useValues(declaration, stack, isAsync);
    return () => endStack(block.end - 1, stack, isAsync);
  }

  /**
   * At the top level of a module, which can be in no block: what it exports would be too. So what it holds is disposed of at
   * its end, and not if it throws before: such a module, and the plugin that needs it, is not loaded.
   */
  function beginModule(program: Program): (() => void) | undefined {
    const found = program.body.filter(isUsing);
    if (found.length === 0) return undefined;
    const isAsync = found.some(isAwaitUsing);
    const stack = `${prefix}${count++}`;
    insertions.push({ at: 0, text: `const ${stack}=new ${isAsync ? "AsyncDisposableStack" : "DisposableStack"};` });
    for (const declaration of found) useValues(declaration, stack, isAsync);
    return () => void insertions.push({ at: code.length, text: `\n;${isAsync ? `await ${stack}.disposeAsync()` : `${stack}.dispose()`};` });
  }

  function useValues(declaration: VariableDeclaration, stack: string, isAsync: boolean): void {
    replaceKeyword(declaration);
    const [before, after] = usage(stack, isAsync, isAwaitUsing(declaration));
    for (const { init } of declaration.declarations) {
      if (init) insertions.push({ at: init.start, text: before }, { at: init.end, text: after });
    }
  }

  /** `for (using x of y) z` is `for (const x of y) { use(x); z }`. */
  function beginLoop(loop: ForOfStatement, left: VariableDeclaration): () => void {
    const isAsync = isAwaitUsing(left);
    replaceKeyword(left);
    const [declared] = left.declarations;
    const name = declared === undefined ? "" : code.slice(declared.id.start, declared.id.end);
    insertions.push({ at: loop.body.start, text: "{" });
    const stack = beginStack(loop.body.start, isAsync);
    insertions.push({ at: loop.body.start, text: `${stack}.use(${name});` });
    return () => {
      endStack(loop.body.end, stack, isAsync);
      insertions.push({ at: loop.body.end, text: "}" });
    };
  }

  function beginStack(at: number, isAsync: boolean): string {
    const stack = `${prefix}${count++}`;
    insertions.push({ at, text: `const ${stack}=new ${isAsync ? "AsyncDisposableStack" : "DisposableStack"};try{` });
    return stack;
  }

  /** What the block threw is deferred last, so it is thrown first, and what disposing throws suppresses it. */
  function endStack(at: number, stack: string, isAsync: boolean): void {
    const dispose = isAsync ? `await ${stack}.disposeAsync()` : `${stack}.dispose()`;
    insertions.push({ at, text: `;}catch(${stack}e){${stack}.defer(()=>{throw ${stack}e})}finally{${dispose}}` });
  }

  /** `using` and `const` are of one length. */
  function replaceKeyword(declaration: VariableDeclaration): void {
    const at = code.indexOf("using", declaration.start);
    if (isAwaitUsing(declaration)) replacements.push({ at: declaration.start, text: "     " });
    replacements.push({ at, text: "const" });
  }

  function markText(source: Literal, kind: string | undefined): void {
    refuseBytes(kind, source);
    if (kind === "text") insertions.push({ at: source.end - 1, text: TEXT_QUERY });
  }

  function markDynamicText(source: Expression, options: Expression | null): void {
    const kind = options === null ? undefined : typeOf(attributesIn(options));
    refuseBytes(kind, source);
    if (kind === "text") insertions.push({ at: source.start, text: "(" }, { at: source.end, text: `)+"${TEXT_QUERY}"` });
  }
}

/** What stands before and after the value. A synchronous resource in an asynchronous stack is disposed of synchronously. */
function usage(stack: string, isAsync: boolean, awaits: boolean): readonly [before: string, after: string] {
  if (isAsync === awaits) return [`${stack}.use(`, ")"];
  return [`((v,s)=>(s.use(v),${stack}.defer(()=>s.dispose()),v))(`, ",new DisposableStack)"];
}

function refuseMisplaced(node: AnyNode): void {
  const head = node.type === "ForStatement" ? node.init : node.type === "ForInStatement" ? node.left : undefined;
  if (isUsing(head)) throw new Unsupported('"using" does not work in the head of this loop: write it before the loop', head.start);
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

/** The `type` among import attributes. */
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

/** Every node that a node holds, whatever its members are called. */
export function childrenOf(node: AnyNode): readonly AnyNode[] {
  return Object.values(node).flatMap((member: unknown) => (Array.isArray(member) ? member.filter(isNode) : isNode(member) ? [member] : []));
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** A name for our variables that the code does not hold. */
export function unusedName(code: string, wish: string): string {
  let name = wish;
  while (code.includes(name)) name += "$";
  return name;
}
