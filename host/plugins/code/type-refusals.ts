/** Says why a type has no JSON Schema, and what to write instead. */

import type { Modules } from "./modules.ts";
import { nameOf, nodeAt, textAt } from "./syntax.ts";
import type { TypeUse } from "./type-shapes.ts";

/** Reason and advice. */
type Refusal = readonly [message: string, fix: string];

const BY_NODE: Readonly<Record<string, Refusal>> = {
  TSAnyKeyword: ['"any" says nothing about the value', 'write the type, or "unknown" for any JSON value'],
  TSUndefinedKeyword: ['JSON has no "undefined"', 'write "null", or make the member optional with "?"'],
  TSVoidKeyword: ['JSON has no "void"', 'write "null", or make the member optional with "?"'],
  TSNeverKeyword: ['No value has the type "never"', "remove the member"],
  TSBigIntKeyword: ["JSON has no bigint", 'write "string" or "number"'],
  TSSymbolKeyword: ["JSON has no symbols", 'write "string"'],
  TSFunctionType: ["A function is not a JSON value", "remove it, or write the data that it stands for"],
  TSMethodSignature: ["A function is not a JSON value", "remove it, or write the data that it stands for"],
  TSConditionalType: ["A conditional type cannot be read", "write the type that it results in"],
  TSMappedType: ["A mapped type cannot be read", "write its members, or use Record, Partial, Required, Pick or Omit"],
  TemplateLiteral: ["A template literal type cannot be read", 'write "string", and "@pattern" in its doc comment'],
  TSImportType: ["An import type cannot be read", 'import the name with "import type"'],
};

const BY_NAME: Readonly<Record<string, Refusal>> = {
  Date: ["JSON has no dates", 'write "string", and "@format date-time" in its doc comment'],
  Map: ["JSON has no Map", 'write "Record<string, …>"'],
  Set: ["JSON has no Set", "write a list"],
  Promise: ["A promise is not a JSON value", "write the type of its result"],
  Uint8Array: ["JSON has no bytes", 'write "string" and encode them, such as with "@format base64"'],
  RegExp: ["JSON has no regular expressions", 'write "string"'],
};

/** @returns the message, and what to do */
export function refusalOf({ node, source }: TypeUse, modules: Modules): Refusal {
  const known = BY_NODE[(node.type === "TSLiteralType" ? nodeAt(node, "literal") : node)?.type ?? ""];
  if (known !== undefined) return known;
  const written = source.text.slice(node.start, Math.min(node.end, node.start + 60));
  if (node.type !== "TSTypeReference" && node.type !== "TSTypeQuery")
    return [`The type "${written}" cannot be read`, "write it as an object, a list, a union or a simple type"];
  const name = nameOf(nodeAt(node, node.type === "TSTypeQuery" ? "exprName" : "typeName"));
  if (name === undefined) return [`The type "${written}" cannot be read`, "import the name itself, without a namespace"];
  const found = modules.find(source, name);
  if ("kind" in found) {
    if (found.kind === "elsewhere") return fromElsewhere(name, found.from);
    return BY_NAME[name] ?? [`The type "${name}" is not declared in the plugin's own files`, "declare it there"];
  }
  const [declared] = found;
  if (declared?.node.type === "ClassDeclaration") return [`"${name}" is a class, and JSON has none`, "declare an interface"];
  if (declared?.node.type === "TSEnumDeclaration")
    return [`"${name}" is an enum`, 'write a union of its values: type Size = "small" | "large"'];
  if (declared?.node.type === "VariableDeclarator")
    return [`The values of "${name}" cannot be read`, 'write literal values and "as const"'];
  return [`The type "${textAt(node, "name") ?? written}" cannot be read`, "write its members"];
}

function fromElsewhere(name: string, from: string): Refusal {
  if (from.endsWith("/bascule.d.ts"))
    return [`"${name}" is generated from the manifest, which is written from this code`, "declare the type in the code"];
  const isOwn = /^\.\.?\//u.test(from);
  return isOwn
    ? [`The type "${name}" is not in "${from}"`, "export it there; a file of declarations (.d.ts) is not part of a plugin"]
    : [`The type "${name}" comes from the package "${from}"`, "declare the type in the plugin's own files"];
}
