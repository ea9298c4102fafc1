/** esbuild, which a user of `bascule vendor` and `bascule pack` installs. */

import { IS_EXECUTABLE } from "../executable/executable.ts";
import type { Bundler } from "./bundler-types.ts";

export type Esbuild = typeof import("esbuild");

/** The executable has no esbuild, which is a native program of its own, and searches no packages around it. */
export const WITHOUT_ESBUILD: Bundler["withoutEsbuild"] = IS_EXECUTABLE
  ? {
      reason: "which is not part of this executable",
      advice: ["With Node, the package has it: npx --package=bascule --package=esbuild bascule …"],
    }
  : { reason: "which is not installed", advice: ["npm install --save-dev esbuild"] };

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
