/** The process of the control host (`control.ts`), which is not attacked. Writes a line per call: `<tool> <begin> <end>`. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createHost } from "../../../host/mod.ts";
import { CANARY, canaryCalls, canaryGrant } from "./canaries.ts";

/** As long as the shortest sleep that it is compared with. */
const SLEEP_MS = 100;
const BETWEEN_CALLS_MS = 20;

const [folder = "", url = "", file = ""] = process.argv.slice(2);
const host = await createHost({
  config: { policy: { rules: [{ pattern: "*", confirm: "auto" }] } },
  plugins: [join(folder, "plugins")],
  workspace: join(folder, "workspace"),
  grants: { [CANARY]: canaryGrant(url) },
});
const session = host.session({ concurrency: 16 });
const sing = async ({ tool, args }: ReturnType<typeof canaryCalls>[number]): Promise<void> => {
  for (;;) {
    const beginAt = performance.timeOrigin + performance.now();
    const result = await host.call(`${CANARY}.${tool}`, args, { session });
    if (!result.ok) throw new Error(`${tool}: ${result.error.message}`);
    appendFileSync(file, `${tool} ${beginAt} ${performance.timeOrigin + performance.now()}\n`);
    await pause(BETWEEN_CALLS_MS);
  }
};
await Promise.all(canaryCalls(url, SLEEP_MS).map(sing));
