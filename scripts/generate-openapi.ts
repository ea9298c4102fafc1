/** Writes docs/openapi.json, the document that a server serves at /v1/openapi.json. */

import { openApiDocument } from "../host/doors/http/openapi.ts";
import { writeOrCheck } from "./write-or-check.ts";

writeOrCheck("docs/openapi.json", `${JSON.stringify(openApiDocument(), null, 2)}\n`);
