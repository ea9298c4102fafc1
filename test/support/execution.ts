/** A call with a policy decision, as dispatch passes it to a route. */

import { createEventBus } from "../../host/audit/event-bus.ts";
import type { HostEvent } from "../../host/audit/events.ts";
import type { ToolCall } from "../../host/call/call.ts";
import type { Platform } from "../../host/platform/platform.ts";
import type { Execution } from "../../host/tools/execution.ts";
import type { RouteOptions } from "../../host/routes/route-options.ts";
import { CallMeter } from "../../host/call/meter.ts";
import { createSecrets } from "../../host/capabilities/secrets/secrets.ts";
import { createSession } from "../../host/call/session.ts";
import type { RegisteredTool } from "../../host/tools/tool.ts";
import { compilePermissions, DEFAULT_LIMITS, type JsonValue, type Limits, type Permissions } from "../../manifests/mod.ts";
import { WORKSPACE } from "./memory-platform.ts";

export interface TestExecution {
  readonly tool: RegisteredTool;
  readonly args?: JsonValue;
  readonly permissions?: Permissions;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  readonly call?: Partial<ToolCall>;
}

/** Creates the call `call-1`, by default with read and write permission on the workspace. */
export function executionOf({
  tool,
  args = {},
  permissions = { read: ["$workspace"], write: ["$workspace"] },
  limits,
  signal,
  call,
}: TestExecution): Execution {
  const layer = {
    name: "test",
    permissions: compilePermissions(permissions, { base: WORKSPACE, workspace: WORKSPACE }),
    unnamed: "none",
    otherwise: "prompt",
  } as const;
  return {
    tool,
    args,
    signal: signal ?? new AbortController().signal,
    meter: new CallMeter(),
    call: {
      callId: "call-1",
      tool: tool.name,
      args,
      caller: "direct",
      session: createSession({ id: "session-1", workspace: WORKSPACE }),
      ...call,
    },
    decision: {
      kind: "allow",
      route: "host",
      grant: { layers: [layer] },
      limits: { ...DEFAULT_LIMITS, ...limits },
      because: { layer: "default", rule: "default" },
      confirm: "auto",
    },
  };
}

/** Returns the options for creating routes, with a list of the events that they emit. */
export function routeOptions(platform: Platform): RouteOptions & { readonly events: HostEvent[] } {
  const events: HostEvent[] = [];
  const bus = createEventBus({
    newId: platform.random.uuidv7,
    now: platform.clock.now,
    onDefect: (message) => {
      throw new Error(message);
    },
  });
  bus.subscribe((event) => events.push(event));
  return { platform, emit: bus.emit, secrets: createSecrets({ platform, sources: () => ({}), root: WORKSPACE }), events };
}
