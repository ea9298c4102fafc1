/**
 * Takes out imports of names that only types used, as TypeScript and Deno do: `import { Options, run }` where `Options` is
 * an interface. Blanking types out leaves the name behind, and there is no such export.
 *
 * What is used is not decided here but by the transformer, which knows the language; here its answer is carried over
 * without moving a character.
 */

/** True if an imported name seems to be used nowhere; sometimes true for nothing. `code` is without types. */
export function mayHaveUnusedImports(code: string): boolean {
  const imports = [...code.matchAll(IMPORT)];
  if (imports.length === 0) return false;
  const bare = code.replace(COMMENT, " ");
  const counts = new Map<string, number>();
  for (const [name] of bare.matchAll(NAME)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return imports.some(({ groups }) => localsOf(groups?.["clause"] ?? "").some(({ name }) => (counts.get(name) ?? 0) < 2));
}

export interface Elided {
  readonly code: string;
  /** What is not imported at all any more. */
  readonly elided: readonly string[];
}

/**
 * @param stripped with types blanked out.
 * @param transformed the same file without the unused imports.
 */
export function elideImports(stripped: string, transformed: string): Elided {
  const elided: string[] = [];
  const kept = new Set<string>();
  for (const { groups } of transformed.matchAll(IMPORT))
    for (const { name } of localsOf(groups?.["clause"] ?? "")) kept.add(`${groups?.["from"] ?? ""}\0${name}`);
  const code = stripped.replace(IMPORT, (statement: string, ...rest: unknown[]) => {
    // The last argument of a replacement with named groups.
    const { clause = "", from = "" } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const unused = localsOf(clause).filter(({ name }) => !kept.has(`${from}\0${name}`));
    if (unused.length === 0) return statement;
    if (unused.length === localsOf(clause).length) {
      elided.push(from);
      return blank(statement);
    }
    // The clause stands once, right after the keyword.
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
  /** In the clause, with the comma after it. */
  readonly start: number;
  readonly end: number;
}

/** `a`, `a, { b, c as d }`: the names as they are known in the module. */
function localsOf(clause: string): readonly Local[] {
  return [
    ...clause.matchAll(/(?<before>(?:[\p{ID_Start}$_][\p{ID_Continue}$]*\s+as\s+)?)(?<name>[\p{ID_Start}$_][\p{ID_Continue}$]*)\s*,?/gu),
  ].map(({ groups, index, 0: text }) => ({ name: groups?.["name"] ?? "", start: index, end: index + text.length }));
}

function blank(text: string): string {
  return text.replace(/[^\n\r]/g, " ");
}
