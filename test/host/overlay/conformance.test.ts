/** An overlay is a platform's guarded files: it passes their suite. */

import { mkdir } from "node:fs/promises";
import { createNode } from "../../../host/platform/node.ts";
