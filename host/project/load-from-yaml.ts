/** Reads a tool registry in YAML, with tools as `tools` of `bascule.json` declares them (SPEC SR2). */

import { isJsonObject, type JsonObject, type JsonValue, parseProject, type Problem } from "../../manifests/mod.ts";
import { ProjectConfigError } from "./project-file.ts";

/** Enough for a registry of hundreds of tools, which takes some 10 ms to read; a text made to be slow blocks its thread for 2 s. */
const MAX_CHARACTERS = 256 * 1024;
/** Bounded, because a text may have an error at every character. */
const MAX_PROBLEMS = 50;
/** Only JSON types: the directive `%YAML 1.1` cannot select others. */
const ONLY_JSON = { schema: "core", merge: false, resolveKnownTags: false, stringKeys: true } as const;

/**
 * Reads the text of a `tool_registry.yaml`, a list of tools or an object with the list `tools`, for `config` of `createHost`. YAML 1.2
 * without aliases, so that no text expands to more than it shows.
 *
 * @throws {ProjectConfigError} if the text is not valid YAML or declares a tool wrongly, with every problem and its place in the text.
 */
export async function loadFromYaml(text: string): Promise<{ readonly tools: readonly JsonObject[] }> {
  if (text.length > MAX_CHARACTERS) throw refused([{ message: `More than ${MAX_CHARACTERS} characters`, fix: "split the file" }]);
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const placeAt = (offset: number): Pick<Problem, "line" | "column"> => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const document = readYaml(() => parseDocument(text, { ...ONLY_JSON, lineCounter: lines, prettyErrors: false }));
  // An unknown tag is only a warning in the parser, which would then read the value as another type.
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
    throw refused([{ message: 'Expected a list of tools, or an object with only "tools"', fix: 'write "tools:" and a list below it' }]);
  const parsed = parseProject(JSON.stringify(config));
  if (!parsed.ok) throw refused(parsed.problems.map((problem) => ({ ...problem, ...placeOf(problem.pointer) })));
  return config as { readonly tools: readonly JsonObject[] }; // Checked by parseProject.

  /** Returns the place of the value at `pointer`, or of its nearest existing parent if it is missing. */
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

/** Deep nesting overflows the stack, and an alias throws a ReferenceError. */
function readYaml<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    if (error instanceof ReferenceError) throw refused([{ message: "Has an alias (*name)", fix: "replace it by its value" }]);
    throw error;
  }
}

function tooDeep(): ProjectConfigError {
  return refused([{ message: "Nested too deeply", fix: "flatten it" }]);
}

function refused(problems: readonly (Partial<Problem> & Pick<Problem, "message" | "fix">)[]): ProjectConfigError {
  return new ProjectConfigError(
    "the registry",
    problems.slice(0, MAX_PROBLEMS).map((problem) => ({ severity: "error", pointer: "", ...problem })),
  );
}
