/** `dispatch_wasm`: a whole call (validation, policy, two events, fresh state) against an empty worker round trip, p50. */

import { startEmptyWorker } from "./empty-round-trip.ts";
import { startEchoHost } from "./echo-host.ts";
import { againstInUs, type Bench, compareCalls, type Measured } from "./measure.ts";

export const dispatchWasm: Bench = {
  id: "dispatch_wasm",
  async run(): Promise<Measured> {
    await using host = await startEchoHost();
    await using worker = startEmptyWorker();
    const times = await compareCalls({ empty: worker.roundTrip, dispatch: () => host.echo() });
    host.mustHaveToldAll();
    return againstInUs(times, "dispatch", "empty");
  },
};
