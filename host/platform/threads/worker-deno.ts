/** Entry file of a sandbox worker on Deno, which serves `node:worker_threads` as Node does. */

import "./worker-node.ts";
