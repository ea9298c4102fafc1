/** A program that repeatedly calls a tool with side effects and prints each call, until a test kills it. */

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
