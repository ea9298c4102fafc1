/** Entry file of a sandbox worker on Deno, which runs `node:worker_threads` as Node does. */

import "./worker-node.ts";
