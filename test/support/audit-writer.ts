/** A program of its own that calls a tool which changes something, again and again, and says so each time: to be killed. */

import { createHost, type Log } from "../../host/mod.ts";
import { hostTool } from "./tools.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };
const [folder = ""] = process.argv.slice(-1);
const host = await createHost({
  config: `${folder}/bascule.json`,
  tools: [hostTool("put", { sideEffects: ["write"] })],
  logger: SILENT,
});
for (;;) {
  const { callId, ok } = await host.call("put");
  process.stdout.write(`${callId} ${ok}\n`);
}
