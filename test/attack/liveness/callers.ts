/** Ways to call a host's tools. */

import type { Host, HostCallOptions } from "../../../host/mod.ts";
import type { Caller } from "./rounds.ts";

const SHOWN = 80;

/** Calls by the library, in the host's own process. */
export function callerOf(host: Host, options: HostCallOptions): Caller {
  return {
    async call(tool, args, signal) {
      const result = await host.call(tool, args as Readonly<Record<string, string>>, { ...options, ...(signal && { signal }) });
      if (result.ok) return result.output;
      throw new Error(`${result.error.code}: ${result.error.message.slice(0, SHOWN)}`);
    },
  };
}
