/** Starts a program and ends it with the call. */

/** Outcome of a program. */
export interface Ran {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

interface Process {
  output(): Promise<{ readonly code: number; readonly stdout: Uint8Array; readonly stderr: Uint8Array }>;
}
/** `Deno.Command` exists in the sandbox too, and throws there. */
type Command = new (
  program: string,
  options: { readonly args: readonly string[]; readonly stdin: "null"; readonly signal: AbortSignal },
) => Process;

/** @throws {Error} named as in `Deno.errors` if the program is not granted or not found */
export async function run(program: string, args: readonly string[], signal: AbortSignal): Promise<Ran> {
  const { Command } = Deno as unknown as { readonly Command: Command };
  const { code, stdout, stderr } = await new Command(program, { args, stdin: "null", signal }).output();
  const text = new TextDecoder();
  return { exitCode: code, output: text.decode(stdout), errors: text.decode(stderr) };
}
