// Runs after `npm ci`: bundles the program, and prints a line if that fails. The bundle is optional: without it, the sources run.
// Plain JavaScript, because without the development dependencies npm runs it on any Node.
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

// `scripts/pack.ts` bundles the package.
if (process.env.npm_command !== "pack" && process.env.npm_command !== "publish") await prepare();

async function prepare() {
  try {
    const { bundleForCheckout } = await import("./bundle-program.ts");
    await bundleForCheckout();
    const { findProgram } = await import("../bin/program.mjs");
    if ((await findProgram(ROOT))?.endsWith(".ts")) console.log("bascule: the sources changed while they were bundled (npm run prepare)");
  } catch (error) {
    console.log(`bascule: not bundled, so it starts from its sources: ${error instanceof Error ? error.message : String(error)}`);
  }
}
