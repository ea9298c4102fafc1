/** Entry file of a service thread, on Node and Deno: serves the tasks of every room. */

import { enableCompileCache } from "../platform/threads/compile-cache.ts";

enableCompileCache();
// Imported after the cache is on, so that it serves these sources too.
const { openServicePort } = await import("../platform/threads/service-port.ts");
const { serveTasks } = await import("../primitives/service/serve-tasks.ts");
const { SERVICE_TASKS } = await import("./service-tasks.ts");

serveTasks(SERVICE_TASKS, openServicePort());
