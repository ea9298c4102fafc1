/** What packages take for the global `process`; a plugin's own code finds no such global. */

import * as all from "./process.ts";

export const process: typeof all = all;
