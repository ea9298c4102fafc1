/** The hostile programs of `test/attack` as cases, with four concurrent calls each. */

import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { REPOSITORY } from "../../../scripts/run-command.ts";
import { APIS } from "../runaway/api-kinds.ts";
import { GREEDY, NATIVE, SCRIPT, WAITING } from "../runaway/kinds.ts";
import { LANGUAGE } from "../runaway/language-kinds.ts";
import type { LivenessCase } from "./cases.ts";

/** Memory for four guests with 64 MiB each, their stacks and their workers. */
const FOUR_GUESTS_MB = 700;
/** Maximum tools of a case. More than a manifest allows are split into several plugins. */
const TOOLS_A_CASE = 40;

export async function programCases(): Promise<readonly LivenessCase[]> {
  const kinds = Object.entries({ native: NATIVE, script: SCRIPT, waiting: WAITING, greedy: GREEDY, language: LANGUAGE, apis: APIS });
  const tables = [...kinds, ...(await tablesInTests())];
  const modules = await modulesInTests();
  return [
    ...tables.flatMap(([name, bodies]) => inCases(name, toFunctions(bodies))),
    ...modules.map(([name, main]) => toCase(`program.${name}`, main)),
  ];
}

function toCase(name: string, main: string): LivenessCase {
  return { name, main, each: true, growthMb: FOUR_GUESTS_MB };
}

function inCases(name: string, functions: readonly string[]): readonly LivenessCase[] {
  const count = Math.ceil(functions.length / TOOLS_A_CASE);
  return Array.from({ length: count }, (_, nth) =>
    toCase(`program.${name}${count > 1 ? `.${nth + 1}` : ""}`, functions.slice(nth * TOOLS_A_CASE, (nth + 1) * TOOLS_A_CASE).join("\n")),
  );
}

function toFunctions(bodies: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(bodies).map(([name, body]) => `export function ${name}() { ${body} }`);
}

/** Finds `` const EVIL = `…`; ``: a module with a tool in each export. */
async function modulesInTests(): Promise<readonly (readonly [name: string, main: string])[]> {
  const found = attackTests().map(async ([name, text]) => {
    const template = /^const EVIL = (`\n[\s\S]*?\n`);$/mu.exec(text)?.[1];
    // A template literal evaluates to a string.
    return template === undefined || template.includes("${") ? [] : [[name, (await valueOf(template)) as string] as const];
  });
  return (await Promise.all(found)).flat();
}

/** Finds `const WAYS: Readonly<Record<string, string>> = {…};`: bodies of functions by name. */
async function tablesInTests(): Promise<readonly (readonly [name: string, bodies: Readonly<Record<string, string>>])[]> {
  const found = attackTests().map(async ([name, text]) => {
    const table = /^const [A-Z]+: Readonly<Record<string, string>> = (\{\n[\s\S]*?\n\});$/mu.exec(text)?.[1];
    // The declared type of the table.
    return table === undefined ? [] : [[name, (await valueOf(table)) as Readonly<Record<string, string>>] as const];
  });
  return (await Promise.all(found)).flat();
}

function attackTests(): readonly (readonly [name: string, text: string])[] {
  return globSync("test/attack/{engine,limits,runaway,terminal}/*.test.ts", { cwd: REPOSITORY })
    .toSorted()
    .map((path) => [basename(path, ".test.ts"), readFileSync(`${REPOSITORY}${path}`, "utf8")]);
}

/** Evaluates an expression in a test's source. Only literals occur. */
async function valueOf(expression: string): Promise<unknown> {
  const module = (await import(`data:text/javascript,${encodeURIComponent(`export default ${expression};`)}`)) as {
    readonly default: unknown;
  };
  return module.default;
}
