/** Creates a service that runs tasks on the test's thread. */

import { expect } from "vitest";
import { createService, type Service, type ServiceOptions } from "../../host/primitives/service/service.ts";

export function localService(env: ServiceOptions["environment"]): Service {
  return createService({ threads: undefined, environment: env, onDefect: (message) => expect.unreachable(message) });
}
