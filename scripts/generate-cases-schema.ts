/** Writes `plugins/cases.schema.json` from the TypeBox source; with `--check` only compares (SPEC I7). */

import { casesJsonSchema } from "../host/testing/case-schema.ts";
import { writeOrCheck } from "./write-or-check.ts";

writeOrCheck("plugins/cases.schema.json", `${JSON.stringify(casesJsonSchema(), undefined, 2)}\n`);
