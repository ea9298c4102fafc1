/** `bascule doctor`: what this system gives, and what is in force on it. */

import type { IsolationConfig, ProjectConfig } from "../../../../manifests/mod.ts";
import { engineInForce } from "../../../../sandbox/mod.ts";
import type { Confinement, Platform, SystemFacts } from "../../../platform/platform.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { table } from "../help.ts";
import { isolationOfProject } from "../isolation-flag.ts";
import { openTrusted } from "../trust.ts";
import { projectFacts } from "../project-facts.ts";
import { printable } from "../../../primitives/text.ts";
import { noticesOf, type ProjectTrust } from "../../../project/trust/project-trust.ts";
import { VERSION } from "../../../primitives/version.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Show what this system gives, and what is in force",
  usage: "doctor",
  details: [
    "Which project this is and who serves it, which runtime and engine run plugins, what keeps them apart from the host and what that leaves open, how files are protected from renames, the cache, the watcher, and whether Deno is there, which trusted plugins need to run natively.",
    "What can be tried is tried.",
    "Exits with 1 where something that the project asks for does not work.",
  ],
  examples: ["doctor", "doctor --json"],
  positionals: { min: 0, max: 0 },
  options: [],
  run: doctor,
};

/** What confines a sandbox's process here, or why none can be started. */
type ProcessFacts = Confinement | { readonly problem: string };

async function doctor(context: CommandContext): Promise<number> {
  const { output, platform } = context;
  const isolation = await isolationOfProject(context);
  const { lines, problems: ofProject, ...own } = await projectFacts(context);
  const { config, trust } = await openTrusted(context);
  const natively = nativeRoute(platform, config());
  const [engine, system, process] = await Promise.all([
    engineInForce(platform.workers),
    platform.inspectSystem(),
    platform.isolation
      .inspect()
      .catch((error: unknown): ProcessFacts => ({ problem: error instanceof Error ? error.message : String(error) })),
  ]);
  const inForce = isolation.by === "process" ? process : THREADS;
  const problems = [
    ...ofProject,
    ...(engine.build === "metered" ? [] : [`The engine runs without a meter${engine.problem === undefined ? "" : `: ${engine.problem}`}`]),
    ...("problem" in inForce ? [inForce.problem] : []),
    ...natively.problems,
    ...(system.watcher.works ? [] : [`The watcher does not work: ${system.watcher.problem ?? ""}; changes are noticed by scans only`]),
  ];
  const facts: readonly (readonly [string, readonly string[]])[] = [
    ["bascule", [VERSION]],
    ["project", [lines.project]],
    ["a host", [lines.host]],
    ["trust", trustLines(trust)],
    ["runtime", [`${system.runtime.name} ${system.runtime.version}  ${system.runtime.program}`]],
    ["engine", [ENGINE[engine.build]]],
    ["isolation", isolationLines(isolation, inForce)],
    ["a process", processLines(process)],
    ["host route", [natively.text]],
    ["audit", [auditText(config())]],
    ["files", [FILES[system.files]]],
    ["cache", [`${system.cache.folder}  ${system.cache.images} files, ${(system.cache.bytes / 1e6).toFixed(1)} MB of images`]],
    ["watcher", [system.watcher.works ? "told of a change" : "does not work; changes are noticed by scans only"]],
    ["deno", [denoText(system.deno)]],
  ];
  for (const row of table(facts.flatMap(rowsOf), output.style, { indent: "", columns: output.columns })) output.line(row);
  for (const problem of problems) output.line(`${output.style.red("problem")}  ${printable(problem)}`);
  const open = "problem" in inForce ? {} : { inForce: inForce.inForce, leavesOpen: inForce.leavesOpen };
  output.document({
    ok: problems.length === 0,
    version: VERSION,
    project: own,
    ...system,
    engine,
    isolation: { ...isolation, ...open, process },
    audit: { store: config().audit.store, required: config().audit.required },
    hostRoute: { deno: natively.deno, unconfined: natively.unconfined, byName: natively.byName },
    problems,
  });
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

interface NativeRoute {
  /** Whether plugins can run under Deno's permissions. */
  readonly deno: boolean;
  /** Names that are trusted to run without. */
  readonly unconfined: readonly string[];
  /** Names that are trusted whatever bytes they stand for. */
  readonly byName: readonly string[];
  readonly text: string;
  readonly problems: readonly string[];
}

/** Whether trusted plugins can run, and which run without walls (SPEC O1). */
function nativeRoute(platform: Pick<Platform, "trusted">, { trusted }: Pick<ProjectConfig, "trusted">): NativeRoute {
  const deno = platform.trusted.find("deno");
  const unconfined = trusted.filter((listed) => listed.unconfined).map(({ name }) => name);
  const byName = trusted.filter((listed) => listed.digest === undefined).map(({ name }) => name);
  const waiting = deno === undefined ? trusted.filter((listed) => !listed.unconfined).map(({ name }) => name) : [];
  const walls =
    deno === undefined
      ? "plugins cannot run natively: Deno is not installed"
      : `trusted plugins run under Deno's permissions  ${deno.program}`;
  return {
    deno: deno !== undefined,
    unconfined,
    byName,
    text: [
      walls,
      ...(unconfined.length === 0 ? [] : [`UNCONFINED: ${unconfined.join(", ")}`]),
      ...(byName.length === 0 ? [] : [`trusted by name, whatever bytes they hold (a "digest" binds them): ${byName.join(", ")}`]),
    ].join("; "),
    problems: waiting.map(
      (name) => `"${name}" is trusted, and Deno, which would confine it, is not installed (https://deno.com, or npm install -g deno)`,
    ),
  };
}

/** What the record is worth, and what is not done without it (SPEC AU3). */
function auditText({ audit: { store, required } }: Pick<ProjectConfig, "audit">): string {
  if (!store) return "nothing is kept (audit.store in bascule.json)";
  return `kept in .bascule/audit/; where that cannot be written, ${required === "all" ? "every call" : "what changes something"} is refused`;
}

const ENGINE = {
  metered: "metered: native loops end at their deadline, fresh state costs what a call touched",
  plain: "as it is published: native loops end with their worker, fresh state costs a copy",
} as const;

const FILES = {
  kernel: "each opened file is asked of the kernel where it really is: no rename in between wins anything",
  compared: "opened files are compared with what was checked by device and inode: a narrow window stays",
} as const;

const THREADS = {
  inForce: ["WebAssembly in threads of the host's process"],
  leavesOpen: ['a flaw in the runtime\'s WebAssembly is a flaw of the host ("isolation": "process" in bascule.json is behind that)'],
} as const;

function isolationLines({ by, alone }: IsolationConfig, inForce: ProcessFacts | typeof THREADS): readonly string[] {
  const own = alone.length === 0 ? [] : [`alone: ${alone.join(", ")}`];
  if ("problem" in inForce) return [`by ${by}, which does not work here`, ...own];
  return [`by ${by}`, ...inForce.inForce, ...own, ...inForce.leavesOpen.map((open) => `leaves open: ${open}`)];
}

function trustLines(trust: ProjectTrust): readonly string[] {
  const [withheld] = noticesOf(trust);
  const agreed = trust.agreed();
  return [
    withheld ?? (agreed.length === 0 ? "this folder asks for nothing that you would have to allow" : `allowed: ${agreed.join(", ")}`),
  ];
}

function processLines(process: ProcessFacts): readonly string[] {
  if ("problem" in process) return [`cannot be started: ${process.problem}`];
  const { runtime, version, inForce, leavesOpen } = process;
  return [`${runtime} ${version}`, ...inForce, ...leavesOpen.map((open) => `leaves open: ${open}`)];
}

function denoText(deno: SystemFacts["deno"]): string {
  if (deno === undefined) return "not found on PATH";
  return `${deno.version ?? "does not say its version"}  ${deno.program}`;
}

/** The name stands on the first line only. */
function rowsOf([name, lines]: readonly [string, readonly string[]]): readonly (readonly [string, string])[] {
  return lines.map((line, index) => [index === 0 ? name : "", printable(line)]);
}
