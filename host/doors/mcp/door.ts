/** Assembles the parts of an MCP door. */

import { errorText } from "../../platform/error-text.ts";
import { PROGRAM } from "../../primitives/typed-commands.ts";
import { auditResources } from "./audit-resources.ts";
import { createChanges } from "./changes.ts";
import { createLargeInputs, MAX_MESSAGE_BYTES } from "./large-inputs.ts";
import { createMarks } from "./marks.ts";
import type { DoorParts, McpDoorOptions } from "./parts.ts";
import { pluginResources } from "./plugin-resources.ts";
import { createRounds } from "./rounds.ts";

/** Creates the parts that all clients of a door share. */
export function createDoorParts(options: McpDoorOptions, isBehind: DoorParts["isBehind"] = () => false): DoorParts {
  const { host, platform, session = {}, unattended, resources = [], prompts, pollAfterMs, program = PROGRAM } = options;
  return {
    host,
    platform,
    session,
    unattended,
    confirms: true,
    pollAfterMs,
    resources: [pluginResources(host), auditResources(host), ...resources],
    prompts,
    program,
    rounds: createRounds(platform),
    changes: createChanges(host, prompts),
    marks: createMarks(platform),
    inputs: createLargeInputs(platform, MAX_MESSAGE_BYTES),
    onError: (error) => platform.log.write("warn", "MCP", { error: errorText(error) }),
    isBehind,
  };
}
