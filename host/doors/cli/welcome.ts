/** Output of `bascule` without a command: what to type first (SPEC DI1). */

import type { Platform } from "../../platform/platform.ts";
import { count, printable } from "../../primitives/text.ts";
import { VERSION } from "../../primitives/version.ts";
import { EXIT } from "./exit-codes.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";
import { pluginRoots } from "./plugin-roots.ts";
import { findProject } from "./project.ts";
import { STARTERS } from "./shipped-plugins.ts";
import { stepLines } from "./table.ts";

const MOST_NAMES = 12;

/** Prints a few lines; the first command in them is the one to type next. */
export async function welcome(platform: Platform, output: Output): Promise<number> {
  const { line, style, program } = output;
  const project = await findProject(platform, undefined);
  const roots = await pluginRoots(platform, project);
  const names = (await Promise.all(roots.map((root) => pluginsIn(platform, root)))).flat();
  const { cwd } = platform.environment;
  const steps: readonly (readonly [string, string])[] =
    names.length === 0
      ? [
          ["init", `start here with two plugins, ${STARTERS.join(" and ")}`],
          ["init demo", "write a plugin of your own"],
          ["--help", "show all commands"],
        ]
      : [
          ["list", "see their tools, and which ones need a grant"],
          ["dev", "serve them, and reload them on every edit"],
          ["client-config", "connect Claude, Cursor or another MCP client"],
          ["--help", "show all commands"],
        ];
  line(`${style.bold("bascule")} ${style.dim(VERSION)} runs tools of unknown authors in a sandbox`);
  line();
  line(
    names.length === 0 ? "This folder has no plugins yet." : foundText(names, roots.map((root) => `${pathFrom(cwd, root)}/`).join(", ")),
  );
  const rows = steps.map(([words, about]) => [`${program} ${words}`, about] as const);
  for (const row of stepLines(rows, output)) line(row);
  return EXIT.ok;
}

function foundText(names: readonly string[], roots: string): string {
  const shown = names.slice(0, MOST_NAMES).join(", ");
  return printable(`${count(names.length, "plugin")} in ${roots}: ${shown}${names.length > MOST_NAMES ? ", …" : ""}`);
}

async function pluginsIn({ files }: Pick<Platform, "files">, root: string): Promise<readonly string[]> {
  if ((await files.stat(root))?.kind !== "directory") return [];
  const folders = (await files.list(root)).filter(({ kind, name }) => kind === "directory" && !name.startsWith("."));
  const found = await Promise.all(folders.map(async ({ name }) => ((await files.stat(`${root}/${name}/manifest.json`)) ? [name] : [])));
  return found.flat().toSorted();
}
