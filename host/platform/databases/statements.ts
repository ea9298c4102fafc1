/**
 * Reads which statements a text of SQL contains, with SQLite's own tokens (https://sqlite.org/src/file/src/tokenize.c), and refuses those
 * that reach beyond the database or change how it is kept.
 *
 * `node:sqlite` has an authorizer on Node and none on Deno, so the text is checked.
 */

/** Comments and spaces; strings, names and variables; one other character. A byte order mark counts as a space. */
const TOKEN =
  /(?<blank>[\t-\r ]+|\ufeff|--[^\n]*|\/\*[^]*?(?:\*\/|$))|'[^']*'?|"[^"]*"?|`[^`]*`?|\[[^\]]*\]?|[$@#:](?:[\w$\u0080-\uffff]|::)*(?:\([^\t-\r )]*\)?)?|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|[^]/gu;

/** Statements that begin or end transactions: the host does both. */
const TRANSACTIONS: ReadonlySet<string> = new Set(["BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE"]);
const REFUSED: ReadonlySet<string> = new Set(["ATTACH", "DETACH", "VACUUM"]);
/** Pragmas that read, and those that may be set because the value is stored in the database and means nothing to SQLite. */
const READ_PRAGMAS: ReadonlySet<string> = new Set(
  "PAGE_COUNT FREELIST_COUNT PAGE_SIZE MAX_PAGE_COUNT ENCODING FOREIGN_KEYS COMPILE_OPTIONS FUNCTION_LIST COLLATION_LIST TABLE_LIST".split(
    " ",
  ),
);
const PRAGMAS_WITH_VALUE: ReadonlySet<string> = new Set([
  ..."USER_VERSION APPLICATION_ID TABLE_INFO TABLE_XINFO INDEX_LIST INDEX_INFO INDEX_XINFO".split(" "),
  ..."FOREIGN_KEY_LIST FOREIGN_KEY_CHECK INTEGRITY_CHECK QUICK_CHECK OPTIMIZE".split(" "),
]);

/** A statement: its first word in upper case; empty if it does not begin with one. */
export interface Statement {
  readonly word: string;
}

/** @throws {TypeError} naming the first statement that is refused */
export function readStatements(sql: string): readonly Statement[] {
  if (sql.includes("\0")) throw new TypeError("The SQL contains U+0000");
  const statements: Statement[] = [];
  let isInTrigger = false;
  for (const tokens of split(sql)) {
    const word = leadOf(tokens);
    isInTrigger ||= word === "CREATE" && tokens[/^TEMP(?:ORARY)?$/u.test(tokens[1] ?? "") ? 2 : 1] === "TRIGGER";
    // The body of a trigger is made of statements, and ends with END.
    check(word, tokens, isInTrigger);
    if (word === "END") isInTrigger = false;
    statements.push({ word });
  }
  return statements;
}

/** Returns the tokens of each statement, words in upper case, without blanks. */
function* split(sql: string): Generator<readonly string[]> {
  let tokens: string[] = [];
  for (const { 0: text, groups } of sql.matchAll(TOKEN)) {
    if (groups?.["blank"] !== undefined) continue;
    if (text === ";") {
      if (tokens.length > 0) yield tokens;
      tokens = [];
      // Further tokens are never looked at.
    } else if (tokens.length < MAX_LOOKED) tokens.push(groups?.["word"] === undefined ? text : text.toUpperCase());
  }
  if (tokens.length > 0) yield tokens;
}

/** Enough for `EXPLAIN QUERY PLAN PRAGMA main.name = value`. */
const MAX_LOOKED = 8;

function leadOf(tokens: readonly string[]): string {
  return /^[A-Z]/.test(tokens[0] ?? "") ? (tokens[0] ?? "") : "";
}

function check(word: string, tokens: readonly string[], isInTrigger: boolean): void {
  if (word === "EXPLAIN") {
    const rest = tokens.slice(tokens[1] === "QUERY" ? 3 : 1);
    return check(leadOf(rest), rest, false);
  }
  if (TRANSACTIONS.has(word) && !(word === "END" && isInTrigger))
    throw new TypeError(`${word} is not available: the statements of one exec() or transaction() are one transaction`);
  if (REFUSED.has(word)) throw new TypeError(`${word} is not available: a plugin has one database`);
  if (word === "PRAGMA") checkPragma(tokens);
}

function checkPragma([, first = "", ...rest]: readonly string[]): void {
  const [name = "", ...value] = rest[0] === "." ? rest.slice(1) : [first, ...rest];
  if (PRAGMAS_WITH_VALUE.has(name) || (READ_PRAGMAS.has(name) && value.length === 0)) return;
  const what = READ_PRAGMAS.has(name)
    ? `PRAGMA ${name.toLowerCase()} cannot be set`
    : `PRAGMA ${name.toLowerCase().slice(0, 50)} is not available`;
  throw new TypeError(`${what}: the host decides how the database is kept`);
}
