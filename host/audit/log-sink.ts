/** Writes events as log lines (SPEC AU7): failures as warnings, changes as information, routine events for debugging. */

import type { Log, LogLevel } from "../platform/platform.ts";
import type { EventType, HostEvent } from "./events.ts";

const LEVELS: Readonly<Record<EventType, LogLevel>> = {
  "tool.registered": "debug",
  "tool.unregistered": "debug",
  "tool.called": "debug",
  "tool.resumed": "debug",
  "tool.completed": "debug",
  "tool.failed": "warn",
  "tool.input_invalid": "warn",
  "tool.denied": "warn",
  "tool.confirmation_requested": "info",
  "tool.confirmation_resolved": "info",
  "tool.output_delta": "debug",
  "tool.committed": "info",
  "tool.undone": "info",
  "plugin.loaded": "info",
  "plugin.reloaded": "info",
  "plugin.failed": "warn",
  "plugin.quarantined": "warn",
  "plugin.removed": "info",
  "capability.used": "debug",
  "capability.denied": "warn",
  "grant.changed": "info",
  "policy.reloaded": "info",
  "settings.changed": "info",
  "session.opened": "debug",
  "session.closed": "debug",
};

/** The whole event is one structured field, so that a guest's text cannot forge a line. */
export function createLogSink(log: Log): (event: HostEvent) => void {
  return (event) => log.write(LEVELS[event.type], event.type, { event });
}
