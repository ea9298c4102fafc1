/** The global `process` for packages; a plugin's own code does not see it. */

import * as all from "./process.ts";

export const process: typeof all = all;
