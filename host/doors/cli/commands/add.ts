/** `bascule add`: installs a plugin from a folder, an archive or a repository (SPEC I2). */

import { LIMIT_NAMES, limitText } from "../../../../manifests/mod.ts";
import type { PackagePreview } from "../../../plugins/installing/installer.ts";
import { parseSource } from "../../../plugins/installing/read-package.ts";
import { addBundle, BUNDLE_OPTIONS } from "../add-bundle.ts";
import { addShipped } from "../add-shipped.ts";
import { confirmAct, showPages, YES_OPTION } from "../ask.ts";
import { notFoundError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { measureText } from "../../../plugins/consent/change-text.ts";
import { changeLines, shortDigest } from "../consent-text.ts";
import { EXIT } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { withProgress } from "../long-work.ts";
import { absolutePath, pathFrom } from "../paths.ts";
import { grantLines } from "../plugin-text.ts";
import { permissionText, reasonsOf } from "../permission-text.ts";
import { makeRoots } from "../serving.ts";
import { BUILTIN_PREFIX } from "../shipped-plugins.ts";
import { table } from "../table.ts";
import { count, printable, wrapWords } from "../../../primitives/text.ts";

export const addCommand: Command = {
  name: "add",
  summary: "Add a plugin from a folder, archive or repository, or an MCP bundle",
  usage: "add <folder|archive|url|builtin:name>",
  words: ["path"],
  details: [
    "Accepts zip, tar and tar.gz archives, and repositories over https and ssh. #name after the URL selects a branch or tag.",
    "Shows the requested permissions, asks for confirmation, copies the files into the first plugin folder and locks the version. Grants no permissions.",
    "A plugin from an archive or a repository, and its grants, are bound to its bytes. Adding it again updates it.",
    "builtin:name copies a plugin that ships with bascule, without a confirmation; it is yours from then on. `add builtin:` lists them.",
    "For an MCP bundle (.mcpb, .dxt), shows the program to start, asks for required values, and adds the server to bascule.json.",
    "The program of a bundle runs outside the sandbox with all your rights, so it needs a confirmation of its own.",
  ],
  examples: [
    "add builtin:words",
    "add ../notes",
    "add notes-1.2.0.tgz",
    "add https://github.com/example/notes.git#v1.2.0 --yes",
    "add files.mcpb --set folder=./docs --secret api_key=FILES_KEY",
  ],
  positionals: { min: 1, max: 1 },
  options: [YES_OPTION, ...BUNDLE_OPTIONS],
  async run(context) {
    const [written = ""] = context.positionals;
    if (written.startsWith(BUILTIN_PREFIX)) return await addShipped(context, written.slice(BUILTIN_PREFIX.length));
    const source = parseSource(written);
    if (source.kind === "path") {
      const { environment, files } = context.platform;
      const path = absolutePath(written, environment.cwd);
      if ((await files.stat(path)) === undefined)
        throw notFoundError(`"${written}" not found`, [
          "Give a folder, an archive, or the URL of a repository",
          `${context.output.program} add ${BUILTIN_PREFIX} lists the plugins that ship with bascule`,
        ]);
      const added = await addBundle(context, path);
      if (added !== undefined) return added;
    }
    await makeRoots(context);
    return await withHost(context, (host) => addFrom(context, host, written), { consent: "strict" });
  },
};

/** Shows a plugin and adds it if the user agrees. @param written a path or a URL */
export async function addFrom(context: CommandContext, host: HostAccess, written: string): Promise<number> {
  const { output, platform, signal } = context;
  const { cwd } = platform.environment;
  const source = parseSource(written);
  const place = source.kind === "path" ? absolutePath(written, cwd) : written;
  const preview = await withProgress(context, "Fetching", () => host.operations.inspect(place, signal));
  await showPages(context, previewLines(preview, context));
  if (!(await confirmAct(context, preview.replaces ? "Update it?" : "Add it?"))) {
    output.line("Nothing was added");
    output.document({ ok: false, added: false, package: preview });
    return EXIT.denied;
  }
  const installed = await withProgress(context, "Loading", () => host.operations.install(preview.digest));
  output.line(
    `${output.style.green("Added")} ${printable(installed.name)} ${printable(installed.version)} to ${pathFrom(cwd, installed.directory)}`,
  );
  const [info, { workspace }] = [await host.operations.info(installed.name), await host.operations.status()];
  for (const line of grantLines(info.plugin, output, { cwd, workspace })) output.line(`  ${line}`);
  output.document({ ok: true, added: true, package: preview, installed });
  return EXIT.ok;
}

const LABEL_WIDTH = 9;

/** Formats a preview for the terminal. All texts come from the plugin's author, so each one is made inert. */
function previewLines(preview: PackagePreview, { output, platform }: CommandContext): readonly string[] {
  const { style, room } = output;
  const fact = (label: string, text: string, paint?: (text: string) => string): readonly string[] =>
    table([[label.padEnd(LABEL_WIDTH), text]], style, { indent: "  ", columns: room, wraps: true, paint: [undefined, paint] });
  const { name, version, description, digest, origin, signer, files, requested, tools, settings, replaces } = preview;
  const from =
    origin.kind === "git" ? `${origin.from} at ${origin.commit.slice(0, 12)}` : origin.kind === "archive" ? origin.from : "a folder";
  const raised = LIMIT_NAMES.flatMap((name) => {
    const asked = preview.limits[name];
    return asked === undefined ? [] : [`${name} ${limitText(name, asked)}`];
  });
  const rows = tools.map((tool): readonly string[] => {
    const kind = `${tool.class}${tool.destructive ? ", destructive" : ""}`;
    const says = `${tool.description}${tool.says === undefined ? "" : ` ${tool.says}`}`;
    return [printable(tool.name), kind, `${printable(says)}${measureText(says)}`];
  });
  return [
    ...wrapWords(`${style.bold(printable(name))} ${printable(version)}  ${printable(description)}${measureText(description)}`, room),
    ...fact("from", `${printable(from)} (${count(files, "file")}, ${shortDigest(digest)})`),
    ...fact("signer", signer ?? "none"),
    ...fact("requests", permissionText(requested, platform.environment.cwd), style.yellow),
    ...reasonsOf(requested).flatMap(([kind, reason]) => fact("", `${kind}: ${reason}`, style.dim)),
    ...(raised.length === 0 ? [] : fact("limits", `${raised.join(", ")} (above the defaults)`, style.yellow)),
    `  tools`,
    ...table(rows, style, { indent: "    ", columns: room, wraps: true, paint: [style.cyan] }),
    ...(settings === undefined ? [] : fact("settings", `${printable(settings)}${measureText(settings)}`)),
    ...(replaces
      ? [
          `  replaces version ${printable(replaces.version)}${replaces.digest === digest ? ", with identical files" : ""}`,
          ...changeLines(replaces.changes, style, measureText).flatMap((line) => wrapWords(line, room - 6).map(indentMore)),
        ]
      : []),
  ];
}

/** Indents the lines of one change, those after the first by two cells more. */
function indentMore(line: string, index: number): string {
  return `${index === 0 ? "    " : "      "}${line}`;
}
