/** The files that `bascule init` writes: a plugin that runs at once, reads a file, and shows how grants work. */

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
  return new Map([
    ["manifest.json", `${JSON.stringify(manifest(options), null, 2)}\n`],
    ["main.ts", program(templateTool(options.plugin))],
    ["cases/peek.json", `${JSON.stringify(cases(templateTool(options.plugin)), null, 2)}\n`],
    ["README.md", readme(options)],
  ]);
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
  return `/** What the tool is asked. The manifest's inputSchema says the same, and is checked before this file sees anything. */
export interface Arguments {
  path: string;
  lines?: number;
}

/** What it answers; checked against outputSchema. */
export interface Answer {
  first: string[];
  total: number;
}

/** Shows how a text file begins. Plain Deno code: the file can be read if the plugin was granted to, else this throws. */
export async function ${tool}(args: Arguments): Promise<Answer> {
  const text = await Deno.readTextFile(args.path);
  const lines = text.replace(/\\n$/u, "").split("\\n");
  return { first: lines.slice(0, args.lines ?? 5), total: text === "" ? 0 : lines.length };
}
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
- \`cases/\` holds what the tools must answer.
`;
}
