/** `process_isolation`: a fresh call as the caller sees it, with the sandbox in its own process against threads, p50. */

import { startEchoHost } from "./echo-host.ts";
import { againstInUs, type Bench, compareCalls, type Measured } from "./measure.ts";

export const processIsolation: Bench = {
  id: "process_isolation",
  async run(): Promise<Measured> {
    await using thread = await startEchoHost();
    await using process = await startEchoHost({ isolation: "process" });
    const times = await compareCalls({ thread: () => thread.echo(), process: () => process.echo() });
    return againstInUs(times, "process", "thread");
  },
};
