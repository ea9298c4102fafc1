/** Chooses the command that a project has for a task. */

/** The project's configuration files that were found. */
export interface Project {
  readonly packageJson?: string;
  readonly hasDeno: boolean;
}

/** Prefers npm's script of that name, because the project defines it. */
export function chooseCommand(
  script: "test" | "lint",
  { packageJson, hasDeno }: Project,
): readonly [program: string, ...args: string[]] | undefined {
  if (packageJson !== undefined && hasScript(packageJson, script)) return ["npm", "run", "--silent", script];
  return hasDeno ? ["deno", script] : undefined;
}

function hasScript(text: string, script: string): boolean {
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: Readonly<Record<string, unknown>> };
    return typeof scripts === "object" && scripts !== null && Object.hasOwn(scripts, script) && typeof scripts[script] === "string";
  } catch {
    // Treats an unreadable package.json as one without scripts.
    return false;
  }
}
