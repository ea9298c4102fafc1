/** `bascule export openai` and similar: exports tools in the formats of model APIs and frameworks (SPEC R5). */

import type { ExportFormat } from "../../tools/exports/mod.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { EXIT } from "./exit-codes.ts";
import { openLocalHost } from "./local-host.ts";
import { absolutePath, pathFrom } from "./paths.ts";
import { printable, printableJson } from "../../primitives/text.ts";

/** Formats whose tools are objects that call the host. They cannot be written as JSON, so a program that creates them is exported. */
const PROGRAMS: ReadonlySet<ExportFormat> = new Set(["ai-sdk", "langchain"]);

export async function exportToolShapes(context: CommandContext, format: ExportFormat, names: readonly string[]): Promise<number> {
  const { platform, output, options, project } = context;
  const host = await openLocalHost(context, {});
  try {
    const { tools, lossy, names: exported } = asked(() => host.definitions(format, names.length === 0 ? undefined : names), output.program);
    const text = PROGRAMS.has(format)
      ? programText(format, { names: [...exported.values()], config: project.configFile })
      : `${JSON.stringify(tools, null, 2)}\n`;
    const out = options.value("out");
    if (out === undefined) output.line(printableJson(text.trimEnd()));
    else {
      await platform.files.writeAtomic(absolutePath(out, platform.environment.cwd), text);
      output.line(`Written: ${pathFrom(platform.environment.cwd, absolutePath(out, platform.environment.cwd))}`);
    }
    for (const { tool, pointer, message } of lossy)
      output.note(printable([tool, pointer, message].filter((part) => part !== "").join(" ")));
    const document = PROGRAMS.has(format) ? { program: text } : { tools };
    output.document({ ok: true, ...document, lossy, names: Object.fromEntries(exported) });
    return EXIT.ok;
  } finally {
    await host.close();
  }
}

function asked<T>(ask: () => T, program: string): T {
  try {
    return ask();
  } catch (error) {
    if (error instanceof TypeError) throw usageError(error.message, [`${program} list --all shows all tools`]);
    throw error;
  }
}

function programText(
  format: ExportFormat,
  { names, config }: { readonly names: readonly string[]; readonly config: string | undefined },
): string {
  const options = config === undefined ? `{ plugins: "./plugins" }` : `{ config: ${JSON.stringify(config)} }`;
  return [
    `import { createHost } from "bascule";`,
    "",
    "// Close it when the program ends: await host.close()",
    `export const host = await createHost(${options});`,
    `export const { tools, lossy } = host.definitions(${JSON.stringify(format)}, ${JSON.stringify(names)});`,
    "",
  ].join("\n");
}
