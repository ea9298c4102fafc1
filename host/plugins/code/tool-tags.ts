/** Reads the fields of a tool from the tags of its doc comment. */

import { CALLERS, isJsonArray, type JsonValue, SIDE_EFFECTS } from "../../../manifests/mod.ts";
import { meantTag, TOOL_TAGS } from "./doc-tags.ts";
import { type CodeProblem, placeIn } from "./syntax.ts";
import type { MemberDoc } from "./type-shapes.ts";

/** Returns the fields under their names in the manifest, in its order, and the name as `tool`. */
export function toolFields(doc: MemberDoc, problems: CodeProblem[]): Readonly<Record<string, JsonValue>> {
  const fields = new Map<string, JsonValue>();
  for (const { name, text, offset } of doc.tags) {
    const refuse = (message: string, fix: string): void =>
      void problems.push({ ...placeIn(doc.source.file, doc.source.text, doc.start + offset), message, fix });
    const meant = meantTag(name, TOOL_TAGS);
    if (meant !== undefined) refuse(`Unknown tag "@${name}"`, `did you mean "@${meant}"?`);
    if (!TOOL_TAGS.includes(name)) continue;
    const value = READERS[name]?.(text);
    if (value === undefined) refuse(`"@${name}" has no valid value: "${text}"`, ADVICE[name] ?? "write a text after it");
    else if (name === "requires") fields.set(name, [...listOf(fields.get(name)), value]);
    else fields.set(name, value);
  }
  return Object.fromEntries(TOOL_TAGS.flatMap((name) => (fields.has(name) ? [[name, fields.get(name) ?? null]] : [])));
}

const READERS: Readonly<Record<string, (text: string) => JsonValue | undefined>> = {
  tool: oneWord,
  title: (text) => (text === "" ? undefined : text),
  category: oneWord,
  tags: words,
  sideEffects: (text) => (text === "none" ? [] : listed(text, SIDE_EFFECTS)),
  destructive: (text) => (text === "" || text === "true" ? true : text === "false" ? false : undefined),
  determinism: (text) => listed(text, ["deterministic", "nondeterministic"])?.[0],
  idempotent: (text) => (text === "" || text === "true" ? true : text === "false" ? false : undefined),
  requires(text) {
    const [, capability, arg] = /^(read|write|net|run)\s+([\w$-]+)$/u.exec(text) ?? [];
    return capability === undefined || arg === undefined ? undefined : { capability, arg };
  },
  timeoutMs: (text) => (/^[1-9]\d{0,8}$/u.test(text) ? Number(text) : undefined),
  callers: (text) => listed(text, CALLERS),
};

const ADVICE: Readonly<Record<string, string>> = {
  tool: 'write a name after it, such as "@tool word_count"',
  sideEffects: `write "none", or one or more of ${SIDE_EFFECTS.join(", ")}`,
  destructive: 'write "@destructive" alone',
  determinism: 'write "deterministic" or "nondeterministic"',
  idempotent: 'write "@idempotent" alone',
  requires: 'write a kind (read, write, net or run) and an argument, such as "@requires read path"',
  timeoutMs: "write milliseconds",
  callers: `write one or more of ${CALLERS.join(", ")}`,
};

function oneWord(text: string): string | undefined {
  return /^\S+$/u.test(text) ? text : undefined;
}

function words(text: string): readonly string[] | undefined {
  const found = text.split(/[\s,]+/u).filter((word) => word !== "");
  return found.length === 0 ? undefined : found;
}

function listed(text: string, choices: readonly string[]): readonly string[] | undefined {
  const found = words(text);
  return found?.every((word) => choices.includes(word)) === true ? found : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}
