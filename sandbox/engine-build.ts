/** How the sandbox's engine is built from the published module. */

import { REWRITTEN_MEMORY_PAGES } from "./engine.ts";
import type { RewriteOptions } from "./wasm/rewrite.ts";

/** The build that runs untrusted code. */
export const METERED_ENGINE: RewriteOptions = { barrier: true, meter: true, initialMemoryPages: REWRITTEN_MEMORY_PAGES };
