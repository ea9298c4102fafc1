/** `bascule doctor`: shows the environment, and which protections are active in it. */

import type { IsolationConfig, ProjectConfig } from "../../../../manifests/mod.ts";
import { engineInForce } from "../../../../sandbox/mod.ts";
import { errorText } from "../../../platform/error-text.ts";
import type { Confinement, Platform, SystemFacts } from "../../../platform/platform.ts";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { nameTable } from "../table.ts";
import { clusterFacts } from "../cluster-facts.ts";
import { isolationOfProject } from "../isolation-flag.ts";
import { openTrusted } from "../trust.ts";
import { hostText, projectFacts, runningHost, SILENT } from "../project-facts.ts";
import { printable } from "../../../primitives/text.ts";
import { noticesOf, type ProjectTrust } from "../../../project/trust/project-trust.ts";
import { VERSION } from "../../../primitives/version.ts";

export const doctorCommand: Command = {
  name: "doctor",
  summary: "Check the environment and show which protections are active",
  usage: "doctor",
  details: [
    "Shows the project and the host that serves it, the runtime and engine that run plugins, the isolation between plugins and host and its known gaps, the protection of files against renames, the cache, the watcher, and whether Deno is installed, which trusted plugins need to run natively.",
    "Tests each feature where possible.",
    "Exits with code 1 if something that the project needs does not work.",
  ],
  examples: ["doctor", "doctor --json", "doctor --host"],
  positionals: { min: 0, max: 0 },
  options: [
    { name: "host", about: "Only check that a host serves this folder, for health checks: exits with code 5 if none does" },
    { name: "join", value: "url", about: "Also look at the cluster of this NATS server" },
    { name: "cluster", value: "name", about: "Name of that cluster (default: default)" },
  ],
  run: doctor,
};

/** The confinement of a sandbox process, or the reason why no process can be started. */
type ProcessFacts = Confinement | { readonly problem: string };

async function doctor(context: CommandContext): Promise<number> {
  const { output, platform } = context;
  if (context.options.has("host")) return await checkHost(context);
  const isolation = await isolationOfProject(context);
  const { lines, problems: ofProject, ...own } = await projectFacts(context);
  const { config, trust } = await openTrusted(context);
  const natively = nativeRoute(platform, config());
  const [engine, system, process] = await Promise.all([
    engineInForce(platform.workers),
    platform.inspectSystem(),
    platform.isolation.inspect().catch((error: unknown): ProcessFacts => ({ problem: errorText(error) })),
  ]);
  const cluster = await clusterFacts(context, config());
  const inForce = isolation.by === "process" ? process : THREADS;
  const problems = [
    ...ofProject,
    ...(engine.build === "metered" ? [] : [`The engine runs without a meter${engine.problem === undefined ? "" : `: ${engine.problem}`}`]),
    ...("problem" in inForce ? [inForce.problem] : []),
    ...natively.problems,
    ...(cluster?.problems ?? []),
    ...(system.watcher.works ? [] : [`The watcher does not work: ${system.watcher.problem ?? ""}; only scans detect changes`]),
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
    ["watcher", [system.watcher.works ? "works" : "does not work; only scans detect changes"]],
    ["deno", [denoText(system.deno)]],
    ...(cluster === undefined ? [] : [["cluster", cluster.lines] as const]),
  ];
  for (const row of nameTable(facts.flatMap(rowsOf), output.style, { indent: "", columns: output.columns })) output.line(row);
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
    ...(cluster && { cluster: { key: cluster.key, clusters: cluster.clusters } }),
    hostRoute: { deno: natively.deno, unconfined: natively.unconfined, byName: natively.byName },
    problems,
  });
  return problems.length === 0 ? EXIT.ok : EXIT.failed;
}

interface NativeRoute {
  /** True if plugins can run under Deno's permissions. */
  readonly deno: boolean;
  /** Names of plugins trusted to run without Deno's permissions. */
  readonly unconfined: readonly string[];
  /** Names of plugins trusted without a digest, so with any contents. */
  readonly byName: readonly string[];
  readonly text: string;
  readonly problems: readonly string[];
}

/** Reports whether trusted plugins can run natively, and which of them run unconfined (SPEC O1). */
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
      ...(byName.length === 0 ? [] : [`trusted by name with any contents (add a "digest" to pin them): ${byName.join(", ")}`]),
    ].join("; "),
    problems: waiting.map(
      (name) => `Trusted plugin "${name}" needs Deno, which is not installed (https://deno.com, or npm install -g deno)`,
    ),
  };
}

/** Describes where the journal is kept, and which calls are refused if it cannot be written (SPEC AU3). */
function auditText({ audit: { store, required } }: Pick<ProjectConfig, "audit">): string {
  if (!store) return "no journal is kept (audit.store in bascule.json)";
  return `kept in .bascule/audit/; if it cannot be written, ${required === "all" ? "every call is" : "calls with side effects are"} refused`;
}

const ENGINE = {
  metered: "metered: native loops stop at their deadline; fresh state costs only the memory that a call touched",
  plain: "unmetered: native loops stop only with their worker; fresh state costs a full copy",
} as const;

const FILES = {
  kernel: "the kernel reports the real path of each opened file: renames cannot bypass the check",
  compared: "opened files are compared with the checked ones by device and inode: a short race window remains",
} as const;

async function checkHost(context: CommandContext): Promise<number> {
  const { output } = context;
  const host = await runningHost(context);
  if (host === "silent") throw new CliError("unavailable", SILENT, { exitCode: EXIT.unavailable });
  if (host === undefined)
    throw new CliError("unavailable", "No host serves this project", {
      hints: [`${output.program} serve starts one`],
      exitCode: EXIT.unavailable,
    });
  output.line(hostText(host.status));
  output.document({ ok: true, host: host.status });
  return EXIT.ok;
}

const THREADS = {
  inForce: ["WebAssembly in threads of the host's process"],
  leavesOpen: ['a bug in the runtime\'s WebAssembly exposes the host ("isolation": "process" in bascule.json protects against it)'],
} as const;

function isolationLines({ by, alone }: IsolationConfig, inForce: ProcessFacts | typeof THREADS): readonly string[] {
  const own = alone.length === 0 ? [] : [`alone: ${alone.join(", ")}`];
  if ("problem" in inForce) return [`by ${by}, which does not work here`, ...own];
  return [`by ${by}`, ...inForce.inForce, ...own, ...inForce.leavesOpen.map((open) => `leaves open: ${open}`)];
}

function trustLines(trust: ProjectTrust): readonly string[] {
  const [withheld] = noticesOf(trust);
  const agreed = trust.agreed();
  return [withheld ?? (agreed.length === 0 ? "this folder has no trust requests" : `allowed: ${agreed.join(", ")}`)];
}

function processLines(process: ProcessFacts): readonly string[] {
  if ("problem" in process) return [`cannot be started: ${process.problem}`];
  const { runtime, version, inForce, leavesOpen } = process;
  return [`${runtime} ${version}`, ...inForce, ...leavesOpen.map((open) => `leaves open: ${open}`)];
}

function denoText(deno: SystemFacts["deno"]): string {
  if (deno === undefined) return "not found on PATH";
  return `${deno.version ?? "unknown version"}  ${deno.program}`;
}

/** Puts the name on the first row only. */
function rowsOf([name, lines]: readonly [string, readonly string[]]): readonly (readonly [string, string])[] {
  return lines.map((line, index) => [index === 0 ? name : "", printable(line)]);
}
