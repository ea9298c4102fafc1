/** `bascule policy`: checks a policy, tests its decisions, and compares it with another one (SPEC P1, P6). */

import {
  isJsonArray,
  isJsonObject,
  type JsonValue,
  parseJson,
  parseProject,
  problemToText,
  PROJECT_BOUNDS,
} from "../../../../manifests/mod.ts";
import { defined } from "../../../primitives/defined.ts";
import { toQuery } from "../../access-query.ts";
import type { Explanation } from "../../../policy/explain.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { type LocalHost, openLocalHost } from "../local-host.ts";
import { absolutePath } from "../paths.ts";
import { count, printable } from "../../../primitives/text.ts";
import { readAct } from "./why.ts";

const ACTS = ["check", "test", "diff"] as const;

export const policyCommand: Command = {
  name: "policy",
  summary: "Check a policy, test its decisions, or compare it with another",
  usage: "policy check | test <cases.json> | diff <bascule.json>",
  words: [ACTS, "path"],
  details: [
    "check: reports problems in bascule.json and the grants, and names that match no tool, plugin or category and so have no effect.",
    'test: compares decisions with the expected ones in a file, a list of {"tool", "expect"}. "role", "readOnly" and "noWeb" describe the caller, "act" is an act as for why.',
    '"expect" is allowed, asks, denied or unavailable; for an act it is granted, prompt or denied.',
    "diff: lists the tools for which another bascule.json decides differently, for each role and task. Both files count as fully trusted.",
    "Exits with code 1 if check or test finds a problem, or diff finds a change.",
  ],
  examples: ["policy check", "policy test policy.cases.json", "policy diff ../next/bascule.json"],
  positionals: { min: 1, max: 2 },
  options: [],
  async run(context) {
    const [act, path] = context.positionals;
    const run = act === "check" ? check : act === "test" ? test : act === "diff" ? diff : undefined;
    const { program } = context.output;
    if (run === undefined) throw usageError(`Unknown subcommand "policy ${act ?? ""}"`, [`Choose from ${ACTS.join(", ")}`]);
    if (act === "check" && path !== undefined) throw usageError("policy check takes no file", [`Usage: ${program} policy check`]);
    if (act !== "check" && path === undefined) {
      const file = act === "test" ? "policy.cases.json" : "../next/bascule.json";
      throw usageError(`Missing file for policy ${act ?? ""}`, [`Example: ${program} policy ${act ?? ""} ${file}`]);
    }
    const local = await openLocalHost(context, {});
    try {
      return await run(local, context, path ?? "");
    } finally {
      await local.close();
    }
  },
};

function check({ host }: LocalHost, { output }: CommandContext): Promise<number> {
  const problems = [...host.grants.problems(), ...host.policy.warnings()];
  for (const problem of problems)
    output.line(
      `${problem.severity === "error" ? output.style.red("error  ") : output.style.yellow("warning")} ${printable(problemToText(problem))}`,
    );
  output.line(problems.length === 0 ? "No problems" : count(problems.length, "problem"));
  output.document({ ok: problems.length === 0, problems: problems.map((problem) => ({ ...problem })) });
  return Promise.resolve(problems.length === 0 ? EXIT.ok : EXIT.failed);
}

interface Case {
  readonly tool: string;
  readonly expect: string;
  readonly act?: string;
  readonly role?: string;
  readonly readOnly: boolean;
  readonly noWeb: boolean;
}

async function test({ host }: LocalHost, context: CommandContext, path: string): Promise<number> {
  const { output, platform } = context;
  const cases = casesIn(await readJson(context, path), path);
  const failed = cases.flatMap((one, index) => {
    const { tool, act, role, readOnly, noWeb, expect } = one;
    const session = host.session({ ...(role !== undefined && { role }), context: { readOnly, noWeb } });
    const asked = act === undefined ? undefined : readAct(act, platform.environment.cwd);
    const query = asked && toQuery(asked.kind, asked.value);
    const found = host.why(tool, query, session);
    const got = found === undefined ? "tool_not_found" : (found.act?.verdict.state ?? found.verdict);
    if (got === expect) return [];
    const because =
      found === undefined ? undefined : (found.act?.verdict.decidedBy.layer ?? `${found.because.layer}: ${found.because.rule}`);
    return [
      {
        index,
        tool,
        expect,
        got,
        ...defined({ act, role, because }),
      },
    ];
  });
  for (const { index, tool, act, role, expect, got, because } of failed) {
    const what = [tool, act, role && `as ${role}`].filter((word) => word !== undefined).join(" ");
    output.line(
      `${output.style.red("failed")} ${index} ${printable(what)}: ${got}, expected ${printable(expect)}${because === undefined ? "" : ` (${printable(because)})`}`,
    );
  }
  output.line(`${count(cases.length - failed.length, "case")} passed, ${failed.length} failed`);
  output.document({ ok: failed.length === 0, cases: cases.length, failed });
  return failed.length === 0 ? EXIT.ok : EXIT.failed;
}

function casesIn(document: JsonValue, path: string): readonly Case[] {
  const wrong = (index: number, what: string): Error =>
    usageError(`Case ${index} of "${path}" ${what}`, ['A case is {"tool", "expect", "act"?, "role"?, "readOnly"?, "noWeb"?}']);
  if (!isJsonArray(document))
    throw usageError(`"${path}" must be a list of cases`, ['Example: [{"tool": "words.grep", "expect": "allowed"}]']);
  return document.map((one, index) => {
    if (!isJsonObject(one)) throw wrong(index, "is not an object");
    const { tool, expect, act, role, readOnly = false, noWeb = false, ...rest } = one;
    const [unknown] = Object.keys(rest);
    // With a misspelt key ignored, the case would test something else.
    if (unknown !== undefined) throw wrong(index, `has the unknown key "${unknown}"`);
    if (typeof tool !== "string" || typeof expect !== "string") throw wrong(index, 'needs "tool" and "expect"');
    if (!(act === undefined ? VERDICTS : STATES).has(expect))
      throw wrong(index, `expects "${expect}", which is not a ${act === undefined ? "decision" : "state of an act"}`);
    if ((act !== undefined && typeof act !== "string") || (role !== undefined && typeof role !== "string"))
      throw wrong(index, 'has an "act" or "role" that is not a string');
    if (typeof readOnly !== "boolean" || typeof noWeb !== "boolean")
      throw wrong(index, 'has a "readOnly" or "noWeb" that is not true or false');
    return { tool, expect, readOnly, noWeb, ...defined({ act, role }) };
  });
}

const VERDICTS: ReadonlySet<string> = new Set(["allowed", "asks", "denied", "unavailable", "tool_not_found"]);
const STATES: ReadonlySet<string> = new Set(["granted", "prompt", "denied"]);

const TASKS: readonly (readonly [name: string, task: { readonly readOnly?: boolean; readonly noWeb?: boolean }])[] = [
  ["", {}],
  ["read-only", { readOnly: true }],
  ["no-web", { noWeb: true }],
];

async function diff({ host }: LocalHost, context: CommandContext, path: string): Promise<number> {
  const { output, platform } = context;
  const current = host.places.project.path;
  const [before, after] = [current === undefined ? "{}" : await platform.files.readText(current), await readText(context, path)];
  const [now, then] = [host.policy.alternative(before), host.policy.alternative(after)];
  const roles = [undefined, ...new Set([...rolesIn(before), ...rolesIn(after)])];
  const changes = host.list().flatMap(({ qualifiedName: tool }) =>
    roles.flatMap((role) =>
      TASKS.flatMap(([task, request]) => {
        const [left, right] = [said(now(tool, role, request)), said(then(tool, role, request))];
        const what = Object.keys(right).filter((key) => left[key] !== right[key]);
        return what.length === 0
          ? []
          : [
              {
                tool,
                ...(role !== undefined && { role }),
                ...(task !== "" && { task }),
                changes: Object.fromEntries(what.map((key) => [key, [left[key] ?? "", right[key] ?? ""]])),
              },
            ];
      }),
    ),
  );
  for (const { tool, role, task, changes: changed } of changes) {
    const who = [role && `as ${role}`, task].filter((word) => word !== undefined).join(", ");
    output.line(`${output.style.bold(printable(tool))}${who === "" ? "" : ` ${printable(who)}`}`);
    for (const [key, [left = "", right = ""]] of Object.entries(changed))
      output.line(`  ${key.padEnd(8)} ${printable(left)} -> ${printable(right)}`);
  }
  output.line(changes.length === 0 ? "No decision would change" : `${count(changes.length, "decision")} would change`);
  output.document({ ok: changes.length === 0, changes });
  return changes.length === 0 ? EXIT.ok : EXIT.failed;
}

/** Returns the parts of an explanation that `diff` compares, as text. */
function said(explanation: Explanation | undefined): Readonly<Record<string, string>> {
  if (explanation === undefined) return {};
  const { verdict, route, confirm, limits, layers, quotas } = explanation;
  return {
    verdict,
    route,
    confirm: confirm.mode,
    limits: JSON.stringify(limits),
    grants: JSON.stringify(layers),
    quotas: JSON.stringify(quotas),
  };
}

/** Returns the roles that a project file names. `alternative` has already accepted the text. */
function rolesIn(text: string): readonly string[] {
  const parsed = parseProject(text);
  if (!parsed.ok) return [];
  return [...Object.keys(parsed.value.roles), ...parsed.value.policy.layers.flatMap(({ role }) => role ?? [])];
}

async function readJson(context: CommandContext, path: string): Promise<JsonValue> {
  const parsed = parseJson(await readText(context, path), PROJECT_BOUNDS);
  if (!parsed.ok)
    throw usageError(`"${path}" is not valid JSON: ${parsed.problems.map(problemToText).join("; ")}`, ["Mend the file at that place"]);
  return parsed.value.value;
}

function readText({ platform }: CommandContext, path: string): Promise<string> {
  return platform.files.readText(absolutePath(path, platform.environment.cwd));
}
