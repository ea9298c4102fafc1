/** Loop of a service thread: takes requests, runs their tasks and answers. */

import { FileError } from "../../platform/platform.ts";
import type { ServicePort } from "../../platform/threads/service-port.ts";
import type { ServiceAnswer, ServiceRequest } from "../../platform/threads/service-types.ts";
import type { ServiceTask, TaskEnvironment } from "./task.ts";

/** How long an idle thread sleeps on its bell before it goes back to its event loop. */
const KEEP_AWAKE_MS = 20;

export function serveTasks(tasks: readonly ServiceTask[], port: ServicePort): void {
  const byName = new Map(tasks.map((task) => [task.name, task]));
  /** Tasks that wait for the event loop: while there is one, the thread must not sleep. */
  let pending = 0;

  function serve(request: ServiceRequest): void {
    const result = runTask(byName.get(request.task), request, port.environment);
    if (!(result instanceof Promise)) return answer(result);
    pending++;
    void result.then((settled) => {
      pending--;
      answer(settled);
      idling();
    });
  }

  function answer(result: ServiceAnswer): void {
    port.post(result, result.ok ? movable(result.output) : []);
  }

  function idling(): void {
    for (let until = port.environment.now() + KEEP_AWAKE_MS; pending === 0;) {
      const seen = port.bellCount();
      const next = port.takeRequest();
      const left = until - port.environment.now();
      if (next !== undefined) {
        serve(next);
        until = port.environment.now() + KEEP_AWAKE_MS;
      } else if (left > 0) port.sleep(seen, left);
      else return;
    }
  }

  port.onRequest((request) => {
    serve(request);
    idling();
  });
}

/** Runs one task. Never throws and never rejects. */
export function runTask(
  found: ServiceTask | undefined,
  { id, task, input }: ServiceRequest,
  env: TaskEnvironment,
): ServiceAnswer | Promise<ServiceAnswer> {
  const failed = (error: unknown): ServiceAnswer => ({ id, ok: false, ...describe(error) });
  try {
    if (found === undefined) throw new Error(`Unknown task "${task}"`);
    // `Service.run` checked the input against the type of the same task.
    const output: unknown = found.run(input as never, env);
    return output instanceof Promise
      ? output.then((value: unknown) => ({ id, ok: true, output: value }), failed)
      : { id, ok: true, output };
  } catch (error) {
    return failed(error);
  }
}

function describe(error: unknown): Pick<Extract<ServiceAnswer, { ok: false }>, "name" | "message" | "code"> {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  return { name: error.name, message: error.message, ...(error instanceof FileError && { code: error.code }) };
}

/** Returns the buffers of byte arrays in the answer or in its members. A buffer is moved instead of copied if the array fills it. */
function movable(output: unknown): readonly ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const items: readonly unknown[] = Array.isArray(output) ? output : [output];
  for (const item of items) {
    if (typeof item !== "object" || item === null) continue;
    for (const part of item instanceof Uint8Array ? [item] : Object.values(item)) {
      if (part instanceof Uint8Array && part.buffer instanceof ArrayBuffer && part.byteLength === part.buffer.byteLength)
        found.add(part.buffer);
    }
  }
  return [...found];
}
