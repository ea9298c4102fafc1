/** Which command a project has for something. */

/** What of it was found. */
export interface Project {
  readonly packageJson?: string;
  readonly hasDeno: boolean;
}

/** npm's script of that name first: it is what the project itself says. */
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
    // A package.json that cannot be read has no scripts.
    return false;
  }
}
