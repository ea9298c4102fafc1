/** Opens the sandbox of a host: in threads or in a separate process, by option or project (SPEC B1). */

import { ISOLATION_KINDS, type IsolationConfig, type IsolationKind } from "../../manifests/mod.ts";
import { defined } from "../primitives/defined.ts";
import { readLargeJson } from "../primitives/json/read-slices.ts";
import type { Platform } from "../platform/platform.ts";
import { createProcessSandbox, createSandbox, type Sandbox, type SandboxOptions } from "../../sandbox/mod.ts";

/**
 * Combines the option with the project's configuration. The project's list of `alone` plugins may change while the host runs.
 *
 * @throws {TypeError} if an untyped caller passed an unknown kind
 */
export function isolationOf(option: IsolationKind | Partial<IsolationConfig> | undefined, project: () => IsolationConfig): IsolationConfig {
  const { by = project().by, alone } = typeof option === "string" ? { by: option } : (option ?? {});
  if (!ISOLATION_KINDS.includes(by)) throw new TypeError(`"isolation" is "${String(by)}" (give one of ${ISOLATION_KINDS.join(", ")})`);
  return {
    by,
    get alone() {
      return alone ?? project().alone;
    },
  };
}

export function openSandbox(
  platform: Pick<Platform, "workers" | "isolation" | "log" | "slices">,
  isolation: IsolationConfig,
  { onDefect, warmWorkers }: Pick<SandboxOptions, "onDefect" | "warmWorkers">,
): Sandbox {
  const options: SandboxOptions = {
    ...defined({ onDefect, warmWorkers }),
    isIsolated: (name) => isolation.alone.includes(name),
    readLarge: async (text, maxDepth) => await platform.slices.run(readLargeJson(text, maxDepth)),
  };
  if (isolation.by === "thread") return createSandbox(platform.workers, options);
  platform.isolation.inspect().then(
    ({ runtime, system, leavesOpen }) => {
      if (runtime === "node" && system !== "namespaces")
        platform.log.write("warn", `The sandbox's process leaves open ${leavesOpen.join("; ")}`);
    },
    // The sandbox reports that it cannot start a process.
    () => undefined,
  );
  return createProcessSandbox({ ...platform.workers, prepareProcesses: platform.isolation.prepareProcesses }, options);
}
