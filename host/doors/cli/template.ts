/** Files of `bascule init`: a working plugin that reads a file and shows how grants work. */

import { parseManifest, problemToText } from "../../../manifests/mod.ts";
import { pluginTypes, typeName } from "../../plugins/types/plugin-types.ts";
import { TSCONFIG_FILE, TSCONFIG_TEXT } from "../../plugins/types/tsconfig-text.ts";

/** Values for the template. */
interface TemplateOptions {
  readonly plugin: string;
  /** Path or URL of the manifest's schema, for editors. Absent if the plugin's folder cannot refer to it. */
  readonly schema?: string;
  readonly program: string;
  /** A text file to try the tool on, relative to the project's folder. */
  readonly sample: string;
}

/** Returns the tool's name, derived from the plugin's name, so that the tools of several new plugins do not collide. */
export function templateTool(plugin: string): string {
  return `${plugin.replaceAll("-", "_")}_peek`;
}

/** Returns the text of each file by its path in the plugin's folder. */
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
  if (!parsed.ok) throw new Error(`The template's manifest is invalid: ${parsed.problems.map(problemToText).join("; ")}`);
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

/** Returns the first lines of a text file. Plain Deno code: throws if the plugin has no grant to read the file. */
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
  const commands: readonly (readonly [command: string, about?: string])[] = [
    [`${name} dev`, "serves the plugins here and reloads on every edit"],
    [`${name} call ${tool} path=${sample}`, "denied: nothing is granted yet"],
    [`${name} grant ${plugin} --allow-read=.`, "lets it read this folder"],
    [`${name} call ${tool} path=${sample}`],
  ];
  const width = Math.max(...commands.map(([command]) => command.length));
  return `# ${plugin}

\`${tool}\` shows the first lines of a text file.

\`\`\`sh
${commands.map(([command, about]) => (about === undefined ? command : `${command.padEnd(width)}  # ${about}`)).join("\n")}
\`\`\`

- \`manifest.json\` describes the plugin: its tools, their arguments and results, and the permissions that it requests.
- \`main.ts\` contains the tools, one exported function each: \`(args, context) => result\`.
- \`bascule.d.ts\` and \`bascule-globals.d.ts\` are types generated from the manifest by \`${name} dev\` and \`${name} types\`.
- \`tsconfig.json\` limits editors to the globals that the sandbox provides for the requested permissions.
- \`cases/\` contains expected results of the tools, \`main.test.ts\` tests of their code. \`${name} test ${plugin}\` runs both, and so does
  \`${name} dev\` on every reload.
`;
}
