/** esbuild, which a user of `bascule vendor` and `bascule pack` installs. */

export type Esbuild = typeof import("esbuild");

/** Imports esbuild. Undefined if it is not installed. */
export async function loadEsbuild(): Promise<Esbuild | undefined> {
  try {
    return await import("esbuild");
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND"))
      return undefined;
    throw error;
  }
}
