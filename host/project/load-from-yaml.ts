/** Reads a registry file in YAML: tools as `tools` of `bascule.json` declares them (SPEC SR2). */

import { isJsonObject, type JsonObject, type JsonValue, parseProject, type Problem } from "../../manifests/mod.ts";
import { ProjectConfigError } from "./project-file.ts";

/** A registry of some hundred tools, which is read in some ten milliseconds; a text made to be slow holds its thread for 2 s. */
const MAX_CHARACTERS = 256 * 1024;
/** A text may be wrong at each of its characters. */
const MAX_PROBLEMS = 50;
/** The directive `%YAML 1.1` chooses no other types: what is read is what JSON can say. */
const ONLY_JSON = { schema: "core", merge: false, resolveKnownTags: false, stringKeys: true } as const;

/**
 * Reads the text of a `tool_registry.yaml`, a list of tools or an object with the list `tools`, for `config` of `createHost`.
 *
 * YAML 1.2 without anchors, so that no text stands for more than it shows.
 *
 * @throws {ProjectConfigError} if it is no YAML, or declares a tool wrongly, with every problem and its place in the text.
 */
export async function loadFromYaml(text: string): Promise<{ readonly tools: readonly JsonObject[] }> {
  if (text.length > MAX_CHARACTERS)
    throw refused([{ message: `It has more than ${MAX_CHARACTERS} characters`, fix: "declare fewer tools in one file" }]);
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const placeAt = (offset: number): Pick<Problem, "line" | "column"> => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const document = readYaml(() => parseDocument(text, { ...ONLY_JSON, lineCounter: lines, prettyErrors: false }));
  // A tag that is not known is a warning, and its value would be taken for another one.
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.some(({ message }) => message.includes("call stack"))) throw tooDeep();
  if (wrong.length > 0)
    throw refused(
      wrong.map(({ message, pos: [offset] }) => ({ message: `Invalid YAML: ${message}`, fix: "correct it", ...placeAt(offset) })),
    );
  const value = readYaml(() => document.toJS({ maxAliasCount: 0 }) as JsonValue);
  const isList = Array.isArray(value);
  const config = isList ? { tools: value } : value;
  if (!isJsonObject(config) || Object.keys(config).join() !== "tools")
    throw refused([{ message: "It is no list of tools, and no object with nothing but tools", fix: 'write "tools:" and a list below it' }]);
  const parsed = parseProject(JSON.stringify(config));
  if (!parsed.ok) throw refused(parsed.problems.map((problem) => ({ ...problem, ...placeOf(problem.pointer) })));
  return config as { readonly tools: readonly JsonObject[] }; // It was just read as that.

  /** The place of the value at `pointer`; if it is missing, the place of the value that it is missing in. */
  function placeOf(pointer: string): Pick<Problem, "line" | "column"> {
    const path = pointer.split("/").slice(isList ? 2 : 1);
    for (let length = path.length; length > 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      const range: unknown = typeof node === "object" && node !== null ? Reflect.get(node, "range") : undefined;
      if (Array.isArray(range) && typeof range[0] === "number") return placeAt(range[0]);
    }
    return { line: 1, column: 1 };
  }
}

/** Deep nesting ends the stack, and an anchor is refused by an exception. */
function readYaml<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    if (error instanceof ReferenceError) throw refused([{ message: "It has an alias (*name)", fix: "write out what it stands for" }]);
    throw error;
  }
}

function tooDeep(): ProjectConfigError {
  return refused([{ message: "It is nested too deeply", fix: "declare it flatter" }]);
}

function refused(problems: readonly (Partial<Problem> & Pick<Problem, "message" | "fix">)[]): ProjectConfigError {
  return new ProjectConfigError(
    "the registry",
    problems.slice(0, MAX_PROBLEMS).map((problem) => ({ severity: "error", pointer: "", ...problem })),
  );
}
