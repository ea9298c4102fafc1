/** Writes docs/compatibility.md from the baselines of the outside suites and the reasons for what fails. */

import { compatibilityText } from "../test/external/compatibility.ts";
import { writeOrCheck } from "./write-or-check.ts";

writeOrCheck("docs/compatibility.md", await compatibilityText());
