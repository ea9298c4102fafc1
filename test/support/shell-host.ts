/** A host on this machine with the `shell` tool and programs of the test. */

import type { HostEvent } from "../../host/audit/events.ts";
import { createHost, type Host, type JsonObject } from "../../host/mod.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import type { Platform } from "../../host/platform/platform.ts";
import type { Processes } from "../../host/platform/processes/process-types.ts";
import { createProcesses } from "../../host/platform/processes/processes.ts";
import { memoryPlatform } from "./memory-platform.ts";
import { script } from "./real-programs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface ShellHost extends AsyncDisposable {
  readonly host: Host;
  /** Real path of the workspace. */
  readonly workspace: string;
  readonly events: readonly HostEvent[];
}

export interface ShellHostOptions {
  /** Shell scripts by name, in a folder next to the workspace that is first in `PATH`. */
  readonly scripts?: Readonly<Record<string, string>>;
  /** Default: `run` for every script. */
  readonly grants?: JsonObject;
  /** Environment variables in addition to `PATH`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Processes. Default: killed 200 ms after SIGTERM. */
  readonly processes?: Processes;
  readonly project?: JsonObject;
}

export async function shellHost(options: ShellHostOptions = {}): Promise<ShellHost> {
  const {
    scripts = {},
    grants = { run: Object.keys(scripts) },
    env = {},
    processes = createProcesses({ killAfterMs: 200 }),
    project = {},
  } = options;
  const folder = await temporaryFolder();
  const real = currentPlatform();
  for (const place of ["bin", "workspace"]) await real.files.makeDirectory(`${folder}/${place}`);
  for (const [name, lines] of Object.entries(scripts)) await script(`${folder}/bin`, name, lines);
  const variables: Readonly<Record<string, string>> = { PATH: `${folder}/bin:/usr/bin:/bin`, ...env };
  const platform: Platform = {
    ...real,
    processes,
    environment: {
      ...real.environment,
      get: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
      names: () => Object.keys(variables),
    },
  };
  const events: HostEvent[] = [];
  const host = await createHost({
    platform,
    workspace: `${folder}/workspace`,
    config: {
      policy: { rules: [{ tool: "shell", allow: true, grants }] },
      confirmation: { default: { execute: "auto" } },
      ...project,
    },
    logger: memoryPlatform().log,
    events: { publish: (event) => void events.push(event) },
  });
  return { host, workspace: `${folder}/workspace`, events, [Symbol.asyncDispose]: () => host.close() };
}

/** Returns the output of a successful `shell` call. @throws {Error} if the call failed */
export function outputOf(result: Awaited<ReturnType<Host["call"]>>): {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode?: number;
  readonly droppedBytes?: number;
} {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  // Dispatch has checked the output against the schema.
  return result.output as never;
}
