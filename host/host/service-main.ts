/** Entry file of a service thread, on Node and Deno: serves the tasks of every room. */

import { enableCompileCache } from "../platform/threads/compile-cache.ts";

enableCompileCache();
// Not awaited here: V8 ends the whole process if a thread is ended in the moment in which a module with an `await` of its own does.
void startServing();

async function startServing(): Promise<void> {
  // Imported after the cache is on, so that it serves these sources too.
  const [{ openServicePort }, { serveTasks }, { SERVICE_TASKS }] = await Promise.all([
    import("../platform/threads/service-port.ts"),
    import("../primitives/service/serve-tasks.ts"),
    import("./service-tasks.ts"),
  ]);
  serveTasks(SERVICE_TASKS, openServicePort());
}
