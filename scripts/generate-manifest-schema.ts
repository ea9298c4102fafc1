/** Writes `manifests/manifest.schema.json` from the TypeBox source; with `--check` only compares (SPEC M2). */

import { manifestJsonSchema } from "../manifests/project/document-schema.ts";
import { writeOrCheck } from "./write-or-check.ts";

writeOrCheck("manifests/manifest.schema.json", `${JSON.stringify(manifestJsonSchema(), undefined, 2)}\n`);
