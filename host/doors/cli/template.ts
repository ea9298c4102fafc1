/** The files that `bascule init` writes: a plugin that runs at once, reads a file, and shows how grants work. */

import { parseManifest, problemToText } from "../../../manifests/mod.ts";
import { pluginTypes, typeName } from "../../plugins/types/plugin-types.ts";
import { TSCONFIG_FILE, TSCONFIG_TEXT } from "../../plugins/types/tsconfig-text.ts";

/** What the files are made for. */
export interface TemplateOptions {
  readonly plugin: string;
  /** Path or URL of the manifest's schema, for editors; absent if it cannot be named from there. */
  readonly schema?: string;
  readonly program: string;
  /** A text file of the project to try it on, as a person in the project's folder would write it. */
  readonly sample: string;
}

/** The tool's name: the plugin's with an underscore, so that several new plugins stand side by side. */
export function templateTool(plugin: string): string {
  return `${plugin.replaceAll("-", "_")}_peek`;
}

/** Text of each file by its path in the plugin's folder. */
export function templateFiles(options: TemplateOptions): ReadonlyMap<string, string> {
  const manifestText = `${JSON.stringify(manifest(options), null, 2)}\n`;
  return new Map([
    ["manifest.json", manifestText],
    ["main.ts", program(templateTool(options.plugin))],
    ...typesOf(manifestText),
    [TSCONFIG_FILE, TSCONFIG_TEXT],
    ["main.test.ts", tests(templateTool(options.plugin))],
    ["cases/peek.json", `${JSON.stringify(cases(templateTool(options.plugin)), null, 2)}\n`],
    ["README.md", readme(options)],
  ]);
}

function typesOf(manifestText: string): ReadonlyMap<string, string> {
  const parsed = parseManifest(manifestText, {});
  if (!parsed.ok) throw new Error(`The template's manifest is wrong: ${parsed.problems.map(problemToText).join("; ")}`);
  return pluginTypes(parsed.value);
}

function manifest({ plugin, schema }: TemplateOptions): object {
  return {
    ...(schema === undefined ? {} : { $schema: schema }),
    schemaVersion: "1.0",
    name: plugin,
    version: "0.1.0",
    description: "Shows the beginning of text files",
    permissions: { read: { allow: ["$workspace"], reason: "Reads the file that you name" } },
    tools: [
      {
        name: templateTool(plugin),
        description: "Shows the first lines of a text file and how many there are",
        inputSchema: {
          type: "object",
          properties: {
            path: { type: "string", minLength: 1, description: "A text file, relative to the workspace" },
            lines: { type: "integer", minimum: 1, maximum: 100, description: "How many lines to show (5 if absent)" },
          },
          required: ["path"],
          additionalProperties: false,
        },
        outputSchema: {
          type: "object",
          properties: {
            first: { type: "array", items: { type: "string" } },
            total: { type: "integer", minimum: 0 },
          },
          required: ["first", "total"],
        },
        sideEffects: ["read"],
        requires: [{ capability: "read", arg: "path" }],
      },
    ],
  };
}

function program(tool: string): string {
  const type = typeName(tool);
  return `import type { ${type}Args, ${type}Output } from "./bascule.d.ts";

/** Shows how a text file begins. Plain Deno code: the file can be read if the plugin was granted to, else this throws. */
export async function ${tool}(args: ${type}Args): Promise<${type}Output> {
  const text = await Deno.readTextFile(args.path);
  const lines = text.replace(/\\n$/u, "").split("\\n");
  return { first: lines.slice(0, args.lines ?? 5), total: text === "" ? 0 : lines.length };
}
`;
}

function tests(tool: string): string {
  return `import assert from "node:assert/strict";
import { ${tool} } from "./main.ts";

Deno.test("a file that is not there is an error", async () => {
  await assert.rejects(${tool}({ path: "nowhere.txt" }), Deno.errors.NotFound);
});

Deno.test("the plugin can read its own files", async () => {
  const { first } = await ${tool}({ path: \`\${import.meta.dirname ?? ""}/README.md\`, lines: 1 });
  assert.equal(first.length, 1);
});
`;
}

function cases(tool: string): readonly object[] {
  const files = { "poem.txt": "one\ntwo\nthree\n" };
  return [
    {
      name: "shows the first lines",
      tool,
      args: { path: "poem.txt", lines: 2 },
      files,
      grants: { read: ["$workspace"] },
      expect: { ok: true, output: { first: ["one", "two"], total: 3 } },
    },
    { name: "reads nothing without a grant", tool, args: { path: "poem.txt" }, files, expect: { ok: false, error: { code: "fs_denied" } } },
  ];
}

function readme({ plugin, program: name, sample }: TemplateOptions): string {
  const tool = templateTool(plugin);
  return `# ${plugin}

\`${tool}\` shows the first lines of a text file.

\`\`\`sh
${name} dev                                # serves the plugins here; reloads at every edit
${name} call ${tool} path=${sample}     # refused: it was granted nothing yet
${name} grant ${plugin} --allow-read=.       # lets it read this folder
${name} call ${tool} path=${sample}
\`\`\`

- \`manifest.json\` says what the plugin is, which tools it has, what they take and answer, and what it asks for.
- \`main.ts\` holds the tools: one exported function each, \`(args, context) => result\`.
- \`bascule.d.ts\` and \`bascule-globals.d.ts\` are types made of the manifest: \`${name} dev\` and \`${name} types\` write them anew.
- \`tsconfig.json\` shows editors what the sandbox has for what the plugin asks for, and nothing else.
- \`cases/\` holds what the tools must answer, \`main.test.ts\` tests of their code: \`${name} test ${plugin}\` runs both, and \`${name} dev\`
  does at every reload.
`;
}
