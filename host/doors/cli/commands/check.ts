/** `bascule check`: finds problems in plugins without calling their tools. */

import { manifestToJson } from "../../../../manifests/mod.ts";
import { type CheckOptions, checkPlugins, type PluginCheck } from "../check-plugins.ts";
import { notFoundError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { isolationOfProject } from "../isolation-flag.ts";
import { problemLines } from "../frame.ts";
import { findPlugins } from "../find-plugins.ts";
import { withProgress } from "../long-work.ts";
import { absolutePath, parentOf, pathFrom } from "../paths.ts";
import { limitLines } from "../plugin-text.ts";
import { createSession } from "../../../call/session.ts";
import { createGivenLimits } from "../../../plugins/consent/given-limits.ts";
import { openLock } from "../../../plugins/consent/lock.ts";
import { openPlaces } from "../../../project/places.ts";
import { pluginRoots } from "../plugin-roots.ts";
import { createPolicy } from "../../../policy/policy.ts";
import { NO_LIMITS } from "../../../policy/tool-limits.ts";
import { count, printable } from "../../../primitives/text.ts";

const MANIFEST = "manifest.json";

export const checkCommand: Command = {
  name: "check",
  summary: "Check plugins for problems",
  usage: "check [plugin|folder]",
  words: ["plugin"],
  details: [
    "Checks the manifest, the files and dependencies that it names, that the code loads and exports its tools, and that the tools can run here: a native tool needs a trusted plugin.",
    "Without a name, checks every plugin of the project. With a name, checks that plugin or every plugin in that folder.",
  ],
  examples: ["check", "check demo", "check plugins/demo --fix"],
  positionals: { min: 0, max: 1 },
  options: [{ name: "fix", about: "Rewrite valid manifests in canonical form (also converts legacy manifests)" }],
  run: check,
};

async function check(context: CommandContext): Promise<number> {
  const { output, platform, project, options } = context;
  const { roots, only } = await whatToCheck(context);
  const {
    lockFile,
    trust,
    project: file,
    root,
    folders,
    workspace,
  } = await openPlaces(platform, { config: project.configFile ?? false, trust: "agreed" });
  const lock = await openLock(platform, lockFile);
  const given = createGivenLimits(trust);
  await given.refresh(lock.entries());
  const policy = createPolicy({ project: file.config(), root, folders, grants: { find: () => undefined } });
  const session = createSession({ id: "check", workspace });
  const how: CheckOptions = {
    isolation: await isolationOfProject(context),
    acceptedLimits: ({ name }: { readonly name: string }) => given.of(name, lock.entries().get(name)?.acceptedLimits ?? NO_LIMITS),
    unavailable: (tool) => {
      const decision = policy.decide(tool, { session });
      return decision.kind === "deny" ? undefined : decision.unavailable;
    },
  };
  const checks = (await withProgress(context, "Loading plugins", () => checkPlugins(roots, platform, how))).filter(({ status }) =>
    only === undefined ? status.state !== "ignored" : status.directory === only,
  );
  const where = roots.map((root) => pathFrom(platform.environment.cwd, root)).join(", ");
  if (checks.length === 0) throw notFoundError(`No plugins found in "${where}"`, [`${output.program} init <name> creates one`]);

  const fixed: string[] = [];
  for (const one of checks) {
    if (options.has("fix") && (await fix(one, context))) fixed.push(one.status.directory);
    for (const line of checkLines(one, fixed.includes(one.status.directory), context)) output.line(line);
  }
  const bad = checks.filter(({ isBad }) => isBad).length;
  output.line(`\n${count(checks.length - bad, "plugin")} good, ${bad} bad`);
  output.document({ ok: bad === 0, plugins: checks.map(({ view }) => view), fixed });
  return bad === 0 ? EXIT.ok : EXIT.failed;
}

/** Returns the roots to check, and `only` if the argument names a single plugin folder. */
async function whatToCheck(context: CommandContext): Promise<{ readonly roots: readonly string[]; readonly only?: string }> {
  const { platform, project, positionals } = context;
  const { files, environment } = platform;
  const [named] = positionals;
  if (named !== undefined) {
    const folder = absolutePath(named, environment.cwd);
    if ((await files.stat(folder))?.kind !== "directory") {
      const [{ path }] = await findPlugins(context, [named]);
      return { roots: [parentOf(path)], only: path };
    }
    const isPlugin = (await files.stat(`${folder}/${MANIFEST}`)) !== undefined;
    return isPlugin ? { roots: [parentOf(folder)], only: folder } : { roots: [folder] };
  }
  const roots: string[] = [];
  for (const root of await pluginRoots(platform, project)) if ((await files.stat(root))?.kind === "directory") roots.push(root);
  if (roots.length === 0) throw notFoundError("No plugin folder found here", [`${context.output.program} init creates one`]);
  return { roots };
}

/** Rewrites the manifest in canonical form if it differs. Only a manifest that parsed completely is rewritten. */
async function fix({ status }: PluginCheck, { platform }: CommandContext): Promise<boolean> {
  if (!status.manifest) return false;
  const path = `${status.directory}/${MANIFEST}`;
  const text = manifestToJson(status.manifest);
  if ((await platform.files.readText(path)) === text) return false;
  await platform.files.writeAtomic(path, text);
  return true;
}

function checkLines(one: PluginCheck, wasFixed: boolean, { output, platform }: CommandContext): readonly string[] {
  const { style } = output;
  const folder = pathFrom(platform.environment.cwd, one.status.directory);
  const mark = one.isBad ? style.red("bad ") : style.green("good");
  const state = one.status.state === "disabled" ? style.yellow("  disabled") : "";
  const lines = [
    `${mark} ${style.bold(printable(one.view.name))}  ${style.dim(printable(folder))}${state}${wasFixed ? "  (manifest rewritten)" : ""}`,
  ];
  for (const problem of one.view.problems) lines.push(...problemLines(problem, { ...output, folder }).map((line) => `  ${line}`));
  return [...lines, ...limitLines(one.view, output).map((line) => `  ${line}`)];
}
