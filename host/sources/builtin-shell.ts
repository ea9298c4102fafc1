/**
 * The `shell` tool runs one program (SPEC G2). It keeps the name that models expect; no shell is involved.
 *
 * Program and arguments are separate, so nothing in an argument can become a command. To run a command line, grant `sh` and call it with
 * `-c`: then the policy and the user both see that it is one.
 */

import type { JsonSchema } from "../../manifests/mod.ts";
import type { RanProgram, RunOptions } from "../call/context.ts";
import { InvalidArgs, PermissionDenied, ToolTimeout } from "../tools/tool-error.ts";
import { toolOutput, type ToolOutput } from "../call/tool-output.ts";
import type { ToolDeclaration, ToolFactory } from "../tools/tool.ts";

interface ShellArgs {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly stdin?: string;
  readonly timeoutMs?: number;
}

const TEXT: JsonSchema = { type: "string" };
const COUNT: JsonSchema = { type: "integer", minimum: 0 };

const DEFINITION: ToolDeclaration = {
  name: "shell",
  description:
    "Runs one program with its arguments, without a shell: no pipes, globs, variables or quotes in them. Returns its exit code and output.",
  inputSchema: {
    type: "object",
    properties: {
      command: { type: "string", minLength: 1, maxLength: 4_096, description: "A program's name or path" },
      args: { type: "array", items: TEXT, maxItems: 4_096, description: "Its arguments, passed exactly as given" },
      cwd: { type: "string", description: "The folder to run it in. Default: the workspace" },
      env: { type: "object", description: "Environment variables, strings by name, in addition to the usual ones" },
      stdin: { type: "string", description: "Text for standard input. Default: none" },
      timeoutMs: { type: "integer", minimum: 1, maximum: 600_000 },
    },
    required: ["command"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: { exitCode: { type: "integer" }, signal: TEXT, stdout: TEXT, stderr: TEXT, droppedBytes: COUNT },
    required: ["stdout", "stderr"],
    additionalProperties: false,
  },
  sideEffects: ["execute"],
  category: "code",
  permissions: { read: ["$workspace"], run: true, env: true },
  requires: [
    { capability: "run", arg: "command" },
    { capability: "read", arg: "cwd" },
  ],
};

/** SIGTERM, 3 seconds, SIGKILL, and then time to drain its pipes. */
const GRACE_MS = 10_000;
const SHOWN_COMMAND = 2_000;

export const shell: ToolFactory = () => ({
  definition: DEFINITION,
  graceMs: GRACE_MS,
  async execute(args, { run }) {
    // The arguments have passed the input schema.
    const { command, env, ...rest } = args as unknown as ShellArgs;
    if (run === undefined) throw new PermissionDenied("Programs cannot be run here");
    const options: RunOptions = { ...rest, ...(env && { env: readVariables(env) }) };
    return toOutput(await run(command, options), [command, ...(rest.args ?? [])], rest.timeoutMs);
  },
});

function readVariables(given: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value !== "string") throw new InvalidArgs(`Expected the variable "${name}" to be a string`);
      return [name, value];
    }),
  );
}

/** A non-zero exit code is a normal result: the caller knows what the code means. */
function toOutput({ timedOut, ...ran }: RanProgram, words: readonly string[], timeoutMs: number | undefined): ToolOutput {
  if (timedOut === true)
    throw new ToolTimeout(`The program exceeded ${Number(timeoutMs) / 1000}s`, {
      details: { limit: "timeoutMs", limitMs: timeoutMs ?? 0, output: { ...ran } },
    });
  return toolOutput({
    output: { ...ran },
    content: [{ type: "text", text: toText(ran) }],
    commandExecuted: words.map(quote).join(" ").slice(0, SHOWN_COMMAND),
  });
}

function toText({ exitCode, signal, stdout, stderr }: RanProgram): string {
  const ending = signal === undefined ? (exitCode === 0 ? "" : `[exit code ${exitCode}]`) : `[ended by ${signal}]`;
  const parts = [stdout, stderr, ending].filter((part) => part !== "");
  return parts.map((part, index) => (index === parts.length - 1 || part.endsWith("\n") ? part : `${part}\n`)).join("");
}

/** Quotes a word for a shell. */
function quote(word: string): string {
  return /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
