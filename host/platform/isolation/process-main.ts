/** Entry file of the sandbox's process, on Node and on Deno. */

import { serveProcess } from "../../../sandbox/mod.ts";
import { sharedNow } from "../shared-clock.ts";
import { startWorker } from "../workers.ts";

serveProcess({
  send(pieces) {
    for (const piece of pieces) process.stdout.write(piece);
  },
  onData(listener) {
    process.stdin.on("data", listener);
    // The host is gone, or does not want us any more.
    process.stdin.on("end", () => process.exit(0));
    process.stdin.on("error", () => process.exit(0));
    process.stdout.on("error", () => process.exit(0));
  },
  threads: {
    start: (init) => startWorker(init, {}),
    language: navigator.language,
    // Of use to the cache, which is not in here.
    timeZone: () => "",
    runtime: "",
    now: sharedNow,
    after(delayMs, task) {
      const timer = setTimeout(task, delayMs);
      return () => clearTimeout(timer);
    },
  },
});
