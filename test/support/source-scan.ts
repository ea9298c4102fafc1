/** Parses a TypeScript source and returns its imports and the ambient names that it uses. */

import { parseAst } from "vitest/node";

/** One import, re-export, dynamic import or `import()` type. */
export interface SourceImport {
  readonly specifier: string;
  /** Names in the exporting module; empty where `takesAll` is true. */
  readonly names: readonly string[];
  /** True for `import * as`, `export *` and `import()` as a value: any exported name may be used. */
  readonly takesAll: boolean;
  /** True if the import is erased at run time. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** A free identifier (`process`), a member of one (`Date.now`), a `new Date()` without arguments, or `import.meta`. */
export interface AmbientUse {
  readonly name: string;
  readonly line: number;
}

/** A name that a file exports and declares itself; `default` and re-exports are not among them. */
export interface ExportedName {
  readonly name: string;
  readonly line: number;
}

export interface SourceScan {
  readonly imports: readonly SourceImport[];
  readonly exports: readonly ExportedName[];
  readonly ambient: readonly AmbientUse[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/**
 * Scans one file's text.
 *
 * Names that the file binds (imports, parameters, variables, also of an enclosing block) are not ambient.
 *
 * @throws {Error} if the text does not parse.
 */
export function scanSource(text: string): SourceScan {
  const lineOf = lineFinder(text);
  const imports: SourceImport[] = [];
  const exports: ExportedName[] = [];
  const ambient: AmbientUse[] = [];
  visit(parseTree(text), [], false);
  return { imports, exports, ambient };

  function visit(node: Node, scopes: readonly ReadonlySet<string>[], inType: boolean): void {
    recordImport(node, inType);
    recordExport(node);
    if (!inType) recordAmbient(node, scopes);
    const inner = bindingsOf(node);
    const nextScopes = inner === undefined ? scopes : [...scopes, inner];
    for (const [key, child] of childrenOf(node)) visit(child, nextScopes, inType || isTypePosition(node, key));
  }

  function recordImport(node: Node, inType: boolean): void {
    const source = node["source"] ?? (node.type === "TSImportType" ? node["argument"] : undefined);
    if (!isNode(source)) return;
    const specifier = source["value"] ?? (isNode(source["literal"]) ? source["literal"]["value"] : undefined);
    if (typeof specifier !== "string") return;
    const specifiers = Array.isArray(node["specifiers"]) ? node["specifiers"].filter(isNode) : [];
    const kind = node["importKind"] ?? node["exportKind"];
    const allTypes = specifiers.length > 0 && specifiers.every((entry) => (entry["importKind"] ?? entry["exportKind"]) === "type");
    imports.push({
      specifier,
      names: node.type === "TSImportType" ? qualifierOf(node) : specifiers.map(originalName),
      takesAll:
        node.type === "ExportAllDeclaration" ||
        node.type === "ImportExpression" ||
        specifiers.some((entry) => entry.type === "ImportNamespaceSpecifier"),
      typeOnly: inType || node.type === "TSImportType" || kind === "type" || allTypes,
      line: lineOf(node.start),
    });
  }

  function recordExport(node: Node): void {
    if (node.type !== "ExportNamedDeclaration" || isNode(node["source"])) return;
    const names = new Set<string>();
    if (isNode(node["declaration"])) addDeclared(node["declaration"], names);
    for (const entry of nodesIn(node["specifiers"])) names.add(identifierName(entry["exported"]) ?? "");
    for (const name of names) exports.push({ name, line: lineOf(node.start) });
  }

  function recordAmbient(node: Node, scopes: readonly ReadonlySet<string>[]): void {
    const isFree = (name: string): boolean => !scopes.some((scope) => scope.has(name));
    if (node.type === "MetaProperty") ambient.push({ name: "import.meta", line: lineOf(node.start) });
    if (node.type === "Identifier" && typeof node["name"] === "string" && isFree(node["name"])) {
      ambient.push({ name: node["name"], line: lineOf(node.start) });
    }
    if (node.type === "MemberExpression") {
      const object = identifierName(node["object"]);
      const property = node["computed"] === true ? literalValue(node["property"]) : identifierName(node["property"]);
      if (object !== undefined && property !== undefined && isFree(object)) {
        ambient.push({ name: `${object}.${property}`, line: lineOf(node.start) });
      }
    }
    if (node.type === "NewExpression" || node.type === "CallExpression") {
      const callee = identifierName(node["callee"]);
      const isEmpty = Array.isArray(node["arguments"]) && node["arguments"].length === 0;
      // `Date(...)` without `new` reads the clock even with arguments.
      if (callee !== undefined && isFree(callee) && (isEmpty || node.type === "CallExpression")) {
        ambient.push({ name: `${node.type === "NewExpression" ? "new " : ""}${callee}()`, line: lineOf(node.start) });
      }
    }
  }
}

function parseTree(text: string): Node {
  const tree: unknown = parseAst(text, { lang: "ts" });
  if (!isNode(tree)) throw new Error("The parser returned no syntax tree");
  return tree;
}

/** Expressions with a type: the expression is code, the type is not. */
const EXPRESSIONS_WITH_TYPES = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
]);

function isTypePosition(parent: Node, key: string): boolean {
  if (!parent.type.startsWith("TS")) return key === "typeAnnotation" || key === "returnType" || key === "typeParameters";
  return !(EXPRESSIONS_WITH_TYPES.has(parent.type) && key === "expression");
}

/** Returns the children that are code or types, without identifiers that are only names. */
function childrenOf(node: Node): [string, Node][] {
  const found: [string, Node][] = [];
  for (const [key, value] of Object.entries(node)) {
    if (isNameOnly(node, key)) continue;
    for (const entry of Array.isArray(value) ? value : [value]) if (isNode(entry)) found.push([key, entry]);
  }
  return found;
}

function isNameOnly(node: Node, key: string): boolean {
  switch (node.type) {
    case "MemberExpression":
      return key === "property" && node["computed"] !== true;
    case "Property":
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return key === "key" && node["computed"] !== true;
    case "LabeledStatement":
    case "BreakStatement":
    case "ContinueStatement":
      return key === "label";
    case "MetaProperty":
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
      return true;
    case "ExportAllDeclaration":
      return key === "exported";
    case "ExportSpecifier":
      return true;
    default:
      return false;
  }
}

/** Returns the names that a node binds for everything inside it. `var` counts as block-scoped, because the linter forbids it. */
function bindingsOf(node: Node): ReadonlySet<string> | undefined {
  const names = new Set<string>();
  switch (node.type) {
    case "Program":
    case "BlockStatement":
    case "StaticBlock":
      for (const statement of nodesIn(node["body"])) addDeclared(statement, names);
      return names;
    case "SwitchStatement":
      for (const branch of nodesIn(node["cases"])) for (const statement of nodesIn(branch["consequent"])) addDeclared(statement, names);
      return names;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      addPattern(node["id"], names);
      for (const parameter of nodesIn(node["params"])) addPattern(parameter, names);
      return names;
    case "ClassExpression":
    case "ClassDeclaration":
      addPattern(node["id"], names);
      return names;
    case "CatchClause":
      addPattern(node["param"], names);
      return names;
    case "ForStatement":
    case "ForInStatement":
    case "ForOfStatement":
      for (const part of [node["init"], node["left"]]) if (isNode(part)) addDeclared(part, names);
      return names;
    default:
      return undefined;
  }
}

function addDeclared(statement: Node, names: Set<string>): void {
  const inner = statement["declaration"];
  if (isNode(inner)) addDeclared(inner, names);
  for (const declarator of nodesIn(statement["declarations"])) addPattern(declarator["id"], names);
  if (statement.type.endsWith("Declaration")) addPattern(statement["id"], names);
  if (statement.type === "ImportDeclaration") for (const entry of nodesIn(statement["specifiers"])) addPattern(entry["local"], names);
}

function addPattern(pattern: unknown, names: Set<string>): void {
  if (!isNode(pattern)) return;
  if (pattern.type === "Identifier" && typeof pattern["name"] === "string") names.add(pattern["name"]);
  for (const key of ["left", "argument", "value"]) addPattern(pattern[key], names);
  for (const part of [...nodesIn(pattern["elements"]), ...nodesIn(pattern["properties"])]) addPattern(part, names);
}

function originalName(specifier: Node): string {
  const original = specifier["imported"] ?? (specifier.type === "ExportSpecifier" ? specifier["local"] : undefined);
  return identifierName(original) ?? "";
}

/** Returns the name in `import("./x.ts").Name`. */
function qualifierOf(node: Node): readonly string[] {
  const qualifier = node["qualifier"];
  return [identifierName(isNode(qualifier) && qualifier.type === "TSQualifiedName" ? qualifier["left"] : qualifier) ?? ""];
}

function identifierName(node: unknown): string | undefined {
  return isNode(node) && node.type === "Identifier" && typeof node["name"] === "string" ? node["name"] : undefined;
}

function literalValue(node: unknown): string | undefined {
  return isNode(node) && typeof node["value"] === "string" ? node["value"] : undefined;
}

function nodesIn(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function lineFinder(text: string): (offset: number) => number {
  return (offset) => {
    let line = 1;
    for (let index = text.indexOf("\n"); index !== -1 && index < offset; index = text.indexOf("\n", index + 1)) line++;
    return line;
  };
}
