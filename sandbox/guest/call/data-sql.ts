/** `context.data.sql`: the plugin's SQLite database. */

import { countOf, decoded, parametersText, type Row, send, setOwn, type StepResult } from "./data-request.ts";
import { quoteJson } from "../language/json-text.ts";
import { arrayIsArray, objectFreeze, PrimordialTypeError } from "../language/primordials.ts";
import { toDomString } from "../web/webidl.ts";

function stepText(sql: unknown, sets: string | undefined, changes?: unknown): string {
  if (typeof sql !== "string") throw new PrimordialTypeError("The SQL must be a string");
  const expect = changes === undefined ? "" : `,"expect":${countOf(changes, "changes")}`;
  return `{"sql":${quoteJson(sql)}${sets === undefined ? "" : `,"sets":[${sets}]`}${expect}}`;
}

function oneStep(sql: unknown, parameters: unknown): string {
  return `{"steps":[${stepText(sql, parameters === undefined ? undefined : parametersText(parameters))}]}`;
}

/** One statement of `transaction`: its text, or an object with parameters. */
function memberText(member: unknown): string {
  if (typeof member === "string") return stepText(member, undefined);
  if (typeof member !== "object" || member === null)
    throw new PrimordialTypeError("A statement of a transaction is its SQL, or { sql, params, rows, changes }");
  const { sql, params, rows, changes } = member as Row;
  if (rows === undefined) return stepText(sql, params === undefined ? undefined : parametersText(params), changes);
  if (!arrayIsArray(rows) || params !== undefined)
    throw new PrimordialTypeError('"rows" is a list of lists of parameters, and takes the place of "params"');
  let sets = "";
  for (let index = 0; index < rows.length; index++) sets += `${index === 0 ? "" : ","}${parametersText(rows[index])}`;
  return stepText(sql, sets, changes);
}

function transactionText(statements: unknown): string {
  if (!arrayIsArray(statements)) throw new PrimordialTypeError("A transaction is a list of statements");
  let text = "";
  for (let index = 0; index < statements.length; index++) text += `${index === 0 ? "" : ","}${memberText(statements[index])}`;
  return `{"steps":[${text}]}`;
}

interface RunResult {
  readonly changes: number;
  readonly lastInsertRowid: unknown;
  readonly rows: readonly Row[];
}

function toRunResult({ changes, last, rows }: StepResult): RunResult {
  return { changes, lastInsertRowid: typeof last === "object" && last !== null ? decoded(last) : last, rows };
}

const NO_RESULT: StepResult = { rows: [], changes: 0, last: 0 };

function runResults(results: readonly StepResult[]): RunResult[] {
  const made: RunResult[] = [];
  for (let index = 0; index < results.length; index++) setOwn(made, `${index}`, toRunResult(results[index] ?? NO_RESULT));
  return made;
}

function nothing(): undefined {
  return undefined;
}

export function createSql(): object {
  return objectFreeze({
    exec: (script: unknown) => send("write", () => `{"script":${quoteJson(toDomString(script))}}`, nothing),
    query: (sql: unknown, parameters?: unknown) =>
      send(
        "read",
        () => oneStep(sql, parameters),
        (results) => results[0]?.rows ?? [],
      ),
    run: (sql: unknown, parameters?: unknown) =>
      send(
        "write",
        () => oneStep(sql, parameters),
        (results) => toRunResult(results[0] ?? NO_RESULT),
      ),
    transaction: (statements: unknown) => send("write", () => transactionText(statements), runResults),
  });
}
