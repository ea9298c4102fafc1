/** Creates a service that runs tasks on the test's thread. */

import { expect } from "vitest";
import { createService, type Service, type ServiceOptions } from "../../host/primitives/service/service.ts";

export function localService(world: ServiceOptions["world"]): Service {
  return createService({ threads: undefined, world, onDefect: (message) => expect.unreachable(message) });
}
