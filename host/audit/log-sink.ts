/** Events as log lines (SPEC AU7): what went wrong is a warning, the rest is information. */

import type { Log, LogLevel } from "../platform/platform.ts";
import type { EventType, HostEvent } from "./events.ts";

const LEVELS: ReadonlyMap<EventType, LogLevel> = new Map([
  ["tool.failed", "warn"],
  ["tool.denied", "warn"],
  ["tool.input_invalid", "warn"],
  ["plugin.failed", "warn"],
  ["plugin.quarantined", "warn"],
  ["capability.denied", "warn"],
  ["capability.used", "debug"],
  ["tool.registered", "debug"],
  ["tool.unregistered", "debug"],
  ["tool.output_delta", "debug"],
]);

/** The whole event is one structured field, so that no text of a guest can forge a line. */
export function createLogSink(log: Log): (event: HostEvent) => void {
  return (event) => log.write(LEVELS.get(event.type) ?? "info", event.type, { event });
}
