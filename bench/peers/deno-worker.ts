/** A Deno worker without permissions; its messages are JSON text. Runs in a Deno process of its own. */

import type { Peer } from "./peer.ts";
import { expressionOf, SCRIPT, TOOLS } from "./work.ts";

/** The part of a Deno worker that is used. */
interface DenoWorker {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { readonly message: string }) => void) | null;
}

declare const Worker: new (
  url: string,
  options: { readonly type: "module"; readonly deno: { readonly permissions: "none" } },
) => DenoWorker;

export const denoWorker: Peer = {
  id: "deno-worker",
  name: "Deno worker",
  fresh: "worker",
  gives: { boundary: "worker with Deno's permissions, same process", limits: "by ending the worker", runs: "on a thread" },
  runtime: "deno",
  flags: ["--unstable-worker-options"],
  start() {
    const tools = TOOLS.map((tool) => `${tool}: (args) => ${expressionOf(tool, "args")}`).join(", ");
    const source = `${SCRIPT}\nconst tools = { ${tools} };
onmessage = ({ data: [tool, argsText] }) => postMessage(tools[tool](JSON.parse(argsText)));`;
    const url = `data:text/javascript,${encodeURIComponent(source)}`;
    const open = (): DenoWorker => new Worker(url, { type: "module", deno: { permissions: "none" } });
    const kept = open();
    return Promise.resolve({
      warm: (tool, argsText) => ask(kept, [tool, argsText]),
      async fresh(tool, argsText) {
        const worker = open();
        const answer = await ask(worker, [tool, argsText]);
        worker.terminate();
        return answer;
      },
    });
  },
};

function ask(worker: DenoWorker, message: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message: reason }) => reject(new Error(reason));
    worker.postMessage(message);
  });
}
