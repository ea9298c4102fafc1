/** Reads the tools of a plugin from its main module: exported functions with types and doc comments (SPEC AX1). */

import { checkToolName, type JsonValue, pointerToken } from "../../../manifests/mod.ts";
import { constantOf, unwrapped } from "./constants.ts";
import { type Candidate, type CodeReading, type CodeTool, RECORD_FIELDS } from "./code-tool.ts";
import { createModules, type Exported, type Modules, TooManyNames } from "./modules.ts";
import { type CodePlace, type CodeProblem, isTrue, nameOf, nodeAt, nodesAt, placeIn, type SourceFile, type SyntaxNode } from "./syntax.ts";
import { RUNTIME_FILE } from "../types/tool-api.ts";
import { outputType } from "./output-type.ts";
import { toolFields } from "./tool-tags.ts";
import { type Mapping, type Schema, shapeSchema, typeSchema } from "./type-schema.ts";
import { docOf, type Member, type MemberDoc, shapeOf, type TypeUse } from "./type-shapes.ts";

const MAX_PROBLEMS = 50;
/** Maximum number of exports that are or may be tools; a manifest takes 256 tools. The host's thread sorts and compares them. */
const MAX_EXPORTS = 1_000;
/** Maximum size of the types of all tools, counted as `Mapping.types`. */
const MAX_TOTAL = 20_000;

/** @param files texts of the plugin's code by path @param main the manifest's main module */
export function readTools(files: ReadonlyMap<string, string>, main: string): CodeReading {
  try {
    return readAll(files, main);
  } catch (error) {
    // Types that contain themselves in a way that is not resolved end the engine's stack.
    if (!(error instanceof RangeError || error instanceof TooManyNames)) throw error;
    const [message, fix] = ["The types of the tools are too large, or contain themselves", "make them simpler"];
    return nothingRead([{ file: main, line: 1, column: 1, message, fix }]);
  }
}

function nothingRead(problems: readonly CodeProblem[]): CodeReading {
  return { order: [], tools: [], candidates: [], problems: problems.slice(0, MAX_PROBLEMS), usesDefineTool: false };
}

function readAll(files: ReadonlyMap<string, string>, main: string): CodeReading {
  const modules = createModules(files);
  const problems: CodeProblem[] = [];
  const tools: CodeTool[] = [];
  const candidates: Candidate[] = [];
  const reader: Reader = { modules, problems, types: 0 };
  const exported = modules.exportsOf(main);
  for (const name of new Set(exported.map((one) => one.name))) {
    const parts = exported.filter((one) => one.name === name);
    const [first] = parts;
    if (first === undefined) continue;
    const read = readInBounds(first, parts, reader);
    if (read === "candidate") candidates.push(candidateOf(first));
    else if (read !== undefined) tools.push(read);
    const isTooMany = tools.length + candidates.length > MAX_EXPORTS;
    if (!isTooMany && reader.types <= MAX_TOTAL) continue;
    const [message, fix] = isTooMany
      ? [`"${main}" exports more than ${MAX_EXPORTS} functions and computed values`, "export only the tools"]
      : ["The types of the tools are too large together", "make them smaller, or write fewer tools"];
    return nothingRead([{ ...placeOf(first.source, first.node), message, fix }, ...problems]);
  }
  const usesDefineTool = [...files.keys()].some((file) => modules.imports(file, RUNTIME_FILE));
  const isRead = new Set([...tools, ...candidates].map((one) => one.export));
  const order = exported.map(({ name }) => name).filter((name) => isRead.has(name));
  return { order, tools, candidates, problems: [...modules.problems, ...problems].slice(0, MAX_PROBLEMS), usesDefineTool };
}

interface Reader {
  readonly modules: Modules;
  readonly problems: CodeProblem[];
  /** Size of the types of the tools so far. */
  types: number;
}

function readInBounds(first: Exported, parts: readonly Exported[], reader: Reader): CodeTool | "candidate" | undefined {
  try {
    return readExport(first, parts, reader);
  } catch (error) {
    if (!(error instanceof TooManyNames)) throw error;
    return refuser(first.source, reader)(first.node, "The types are too large", "make them smaller");
  }
}

function readExport(first: Exported, parts: readonly Exported[], reader: Reader): CodeTool | "candidate" | undefined {
  const kind = kindOf(first.node);
  const doc = docOf(first.source, first.statement.start);
  if (kind === undefined || doc.tags.some(({ name }) => name === "internal")) return undefined;
  if (kind === "candidate") return kind;
  const refuse = refuser(first.source, reader);
  if (parts.length > 1)
    return refuse(first.node, `"${first.name}" is overloaded`, "write one signature, or export each under its own name");
  if (doc.description === "")
    return refuse(
      first.node,
      `The exported function "${first.name}" has no description`,
      "write a doc comment above it; add @internal to the comment if it is not a tool",
    );
  return readFunction(first, kind, doc, reader);
}

function candidateOf({ name, source, node, statement }: Exported): Candidate {
  const places = new Map<string, CodePlace>([["", placeOf(source, node)]]);
  const init = nodeAt(node, "init");
  const [argument] = nodesAt(init && unwrapped(init), "arguments");
  if (argument !== undefined) placeMembers(argument, "", { source, places });
  return { export: name, description: docOf(source, statement.start).description, places };
}

/** Notes where the members of an object literal are, so that a problem of a schema is shown at its line. */
function placeMembers(
  node: SyntaxNode,
  pointer: string,
  into: { readonly source: SourceFile; readonly places: Map<string, CodePlace> },
): void {
  for (const property of nodesAt(unwrapped(node), "properties")) {
    const key = property.type === "Property" && !isTrue(property, "computed") ? nameOf(nodeAt(property, "key")) : undefined;
    const value = nodeAt(property, "value");
    if (key === undefined || value === undefined) continue;
    const field = pointer === "" ? (RECORD_FIELDS.get(key) ?? key) : key;
    into.places.set(`${pointer}/${pointerToken(field)}`, placeOf(into.source, value));
    placeMembers(value, `${pointer}/${pointerToken(field)}`, into);
  }
}

/** Returns the function of a declaration; "candidate" if its value is computed; undefined if it cannot be a tool. */
function kindOf(node: SyntaxNode): SyntaxNode | "candidate" | undefined {
  if (node.type === "FunctionDeclaration" || node.type === "TSDeclareFunction") return node;
  const init = node.type === "VariableDeclarator" ? nodeAt(node, "init") : undefined;
  if (init === undefined) return undefined;
  const value = unwrapped(init);
  if (/^(?:Arrow)?Function(?:Expression)?$/u.test(value.type)) return value;
  return /^(?:CallExpression|AwaitExpression|Identifier|MemberExpression|ConditionalExpression)$/u.test(value.type)
    ? "candidate"
    : undefined;
}

function readFunction(exported: Exported, node: SyntaxNode, doc: MemberDoc, reader: Reader): CodeTool | undefined {
  const { source, name } = exported;
  const { modules, problems } = reader;
  const places = new Map<string, CodePlace>([["", placeOf(source, exported.node)]]);
  const before = problems.length;
  const map: Mapping = { modules, problems, places, closed: true, types: 0 };
  const fields = toolFields(doc, problems);
  const input = inputSchema(node, { source, doc }, map);
  const type = outputType(node, source);
  const outputMap: Mapping = { ...map, closed: false };
  const output = type && typeSchema(type, "/outputSchema", outputMap);
  reader.types += outputMap.types;
  if (input === undefined || problems.length > before) return undefined;
  const { tool = name, ...own } = fields;
  const wrong = typeof tool === "string" ? checkToolName(tool) : undefined;
  if (wrong !== undefined) return refuser(source, { problems })(exported.node, wrong, 'name it with "@tool my_tool" in its doc comment');
  return {
    export: name,
    ...(typeof tool === "string" && tool !== name && { name: tool }),
    fields: { description: doc.description, ...own, inputSchema: input, ...(output && { outputSchema: output }) },
    places,
  };
}

/** Returns the schema of the first parameter, which holds the arguments by name. */
function inputSchema(
  node: SyntaxNode,
  { source, doc }: { readonly source: SourceFile; readonly doc: MemberDoc },
  map: Mapping,
): Schema | undefined {
  const params = nodesAt(node, "params").filter((param) => nameOf(param) !== "this");
  const refuse = refuser(source, map);
  const [first, , third] = params;
  if (third !== undefined) return refuse(first ?? third, ...ONE_OBJECT);
  if (first === undefined) return { type: "object", additionalProperties: false };
  const pattern = first.type === "AssignmentPattern" ? nodeAt(first, "left") : first;
  const annotation = pattern && nodeAt(nodeAt(pattern, "typeAnnotation") ?? pattern, "typeAnnotation");
  if (pattern === undefined || annotation === undefined || annotation === pattern)
    return refuse(first, "The arguments have no type", "write it after the parameter: (args: { path: string })");
  const type: TypeUse = { node: annotation, source, params: new Map() };
  const shape = shapeOf(type, map.modules);
  if (shape === undefined) {
    const before = map.problems.length;
    typeSchema(type, "/inputSchema", map);
    return map.problems.length > before ? undefined : refuse(first, ...ONE_OBJECT);
  }
  const given = withDefaults(shape.members, pattern, source, map.modules);
  const schema = shapeSchema({ ...shape, members: withParamTags(given.members, doc) }, "/inputSchema", map);
  return withPresets(schema, given.presets);
}

const ONE_OBJECT = [
  "A tool takes its arguments as one object, and the context as the second parameter",
  "write ({ path, lines }: { path: string; lines?: number }, context: Context)",
] as const;

/** Members with a default value in the pattern `{ times = 1 }` are optional; a default that is a constant is part of the schema. */
function withDefaults(
  members: ReadonlyMap<string, Member>,
  pattern: SyntaxNode,
  source: SourceFile,
  modules: Modules,
): { readonly members: ReadonlyMap<string, Member>; readonly presets: ReadonlyMap<string, JsonValue> } {
  const changed = new Map(members);
  const presets = new Map<string, JsonValue>();
  for (const property of nodesAt(pattern, "properties")) {
    const value = property.type === "Property" ? nodeAt(property, "value") : undefined;
    const name = nameOf(nodeAt(property, "key")) ?? "";
    const member = members.get(name);
    if (value?.type !== "AssignmentPattern" || member === undefined || isTrue(property, "computed")) continue;
    const right = nodeAt(value, "right");
    const preset = right && constantOf(right, source, modules);
    if (preset !== undefined) presets.set(name, preset);
    changed.set(name, { ...member, optional: true });
  }
  return { members: changed, presets };
}

function withPresets(schema: Schema, presets: ReadonlyMap<string, JsonValue>): Schema {
  const properties = new Map(Object.entries((schema["properties"] ?? {}) as Schema));
  // The properties of a schema that was made here are schemas.
  for (const [name, preset] of presets) properties.set(name, { ...(properties.get(name) as Schema), default: preset });
  return properties.size === 0 ? schema : { ...schema, properties: Object.fromEntries(properties) };
}

/** `@param path - A file` and `@param args.path - A file` describe arguments that have no comment of their own. */
function withParamTags(members: ReadonlyMap<string, Member>, doc: MemberDoc): ReadonlyMap<string, Member> {
  const described = new Map(members);
  for (const { name: tag, text } of doc.tags) {
    if (tag !== "param") continue;
    const [, name = "", description = ""] = /^(?:\{[^}]*\}\s*)?\[?(?:\w+\.)?([\w$]+)[^\s]*\s*(?:-\s*)?(.*)$/su.exec(text) ?? [];
    const member = described.get(name);
    if (member !== undefined && member.doc.description === "") described.set(name, { ...member, doc: { ...member.doc, description } });
  }
  return described;
}

function refuser(
  source: SourceFile,
  { problems }: { readonly problems: CodeProblem[] },
): (node: SyntaxNode, message: string, fix: string) => undefined {
  return (node, message, fix) => void problems.push({ ...placeOf(source, node), message, fix });
}

function placeOf({ file, text }: SourceFile, node: SyntaxNode): CodePlace {
  return placeIn(file, text, node.start);
}
