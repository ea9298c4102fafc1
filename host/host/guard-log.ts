/** Protects the host from a logger of the embedding program that throws. */

import type { Log } from "../platform/platform.ts";

/** Guards the embedding program's logger: an error that it throws is reported once to the host's own log, and the operation goes on. */
export function guardLog(log: Log, own: Log): Log {
  let hasTold = false;
  const tell = (error: unknown): void => {
    if (hasTold) return;
    hasTold = true;
    own.write("error", "The logger threw; its lines are lost", { error: String(error) });
  };
  const guard = (inner: Log): Log => ({
    write(level, message, fields) {
      try {
        inner.write(level, message, fields);
      } catch (error) {
        tell(error);
      }
    },
    child(fields) {
      try {
        const child = inner.child(fields);
        if (isLog(child)) return guard(child);
        tell(new TypeError('Cannot create a host: what "logger.child" returned is not a logger'));
      } catch (error) {
        tell(error);
      }
      return own.child(fields);
    },
  });
  return guard(log);
}

/** An untyped program's logger may return anything. */
function isLog(value: unknown): value is Log {
  if (typeof value !== "object" || value === null) return false;
  return ["write", "child"].every((method) => typeof Reflect.get(value, method) === "function");
}
