/** Every claimed number, one file each. */

import { fresh2kb } from "./fresh-2kb.ts";
import type { Bench } from "./measure.ts";
import { naive2kb } from "./naive-2kb.ts";
import { runaway } from "./runaway.ts";

export const BENCHES: readonly Bench[] = [fresh2kb, naive2kb, runaway];
