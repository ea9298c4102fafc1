/**
 * Removes imports that are only used as types, as TypeScript and Deno do: in `import { Options, run }`, `Options` may be an interface.
 * Blanking out types leaves the name in the import, which would fail because no such export exists.
 *
 * The transformer decides which names are used, because it knows the language. This module applies its result without moving a character.
 */

/** True if an imported name seems to be unused. May be true without reason. `code` must be without types. */
export function mayHaveUnusedImports(code: string): boolean {
  const imports = [...code.matchAll(IMPORT)];
  if (imports.length === 0) return false;
  const bare = code.replace(COMMENT, " ");
  const counts = new Map<string, number>();
  for (const [name] of bare.matchAll(NAME)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return imports.some(({ groups }) => localsOf(groups?.["clause"] ?? "").some(({ name }) => (counts.get(name) ?? 0) < 2));
}

interface Elided {
  readonly code: string;
  /** Names of modules that are no longer imported. */
  readonly elided: readonly string[];
}

/**
 * Blanks out the imports that are missing from `transformed`.
 *
 * @param stripped the file with types blanked out
 * @param transformed the same file without unused imports
 */
export function elideImports(stripped: string, transformed: string): Elided {
  const elided: string[] = [];
  const kept = new Set<string>();
  for (const { groups } of transformed.matchAll(IMPORT))
    for (const { name } of localsOf(groups?.["clause"] ?? "")) kept.add(`${groups?.["from"] ?? ""}\0${name}`);
  const code = stripped.replace(IMPORT, (statement: string, ...rest: unknown[]) => {
    // A replacement with named groups gets them as its last argument.
    const { clause = "", from = "" } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const unused = localsOf(clause).filter(({ name }) => !kept.has(`${from}\0${name}`));
    if (unused.length === 0) return statement;
    if (unused.length === localsOf(clause).length) {
      elided.push(from);
      return blank(statement);
    }
    // The clause occurs once, right after the keyword.
    return statement.replace(clause, () =>
      unused.reduce((text, { start, end }) => text.slice(0, start) + blank(text.slice(start, end)) + text.slice(end), clause),
    );
  });
  return { code, elided };
}

const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
const COMMENT = /\/\*[^]*?\*\/|\/\/[^\n]*/g;
const IMPORT =
  /^[ \t]*import(?!\s+type[\s{])\s*(?<clause>[\p{ID_Start}$_][\p{ID_Continue}$]*|(?:[\p{ID_Start}$_][\p{ID_Continue}$]*\s*,\s*)?\{[^{}"']*\})\s*from\s*(?<quote>["'])(?<from>[^"'\n]*)\k<quote>[ \t]*(?:;|$)/gmu;

interface Local {
  readonly name: string;
  /** Position in the clause, including the comma after the name. */
  readonly start: number;
  readonly end: number;
}

/** Returns the local names of a clause such as `a` or `a, { b, c as d }`. */
function localsOf(clause: string): readonly Local[] {
  return [
    ...clause.matchAll(/(?<before>(?:[\p{ID_Start}$_][\p{ID_Continue}$]*\s+as\s+)?)(?<name>[\p{ID_Start}$_][\p{ID_Continue}$]*)\s*,?/gu),
  ].map(({ groups, index, 0: text }) => ({ name: groups?.["name"] ?? "", start: index, end: index + text.length }));
}

function blank(text: string): string {
  return text.replace(/[^\n\r]/g, " ");
}
