/** Calls of a trusted plugin in real processes. */

import type { HostEvent } from "../../host/audit/events.ts";
import type { Confinement } from "../../host/call/call.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import type { OpenToolCalls } from "../../host/capabilities/mod.ts";
import type { Platform } from "../../host/platform/platform.ts";
import type { Execution, Outcome } from "../../host/tools/execution.ts";
import { createDataFolders } from "../../host/routes/data-folders.ts";
import { createProcessExecutor } from "../../host/routes/process/process.ts";
import { createSession } from "../../host/call/session.ts";
import type { RegisteredTool } from "../../host/tools/tool.ts";
import { compilePermissions } from "../../manifests/mod.ts";
import { executionOf, routeOptions, type TestExecution } from "./execution.ts";
import { memoryPlatform } from "./memory-platform.ts";
import { pluginToolOf } from "./registered.ts";

/** Creates a platform with files and time in memory, and real processes. */
export function platformWithProcesses(options: Parameters<typeof memoryPlatform>[0] = {}): ReturnType<typeof memoryPlatform> {
  return { ...memoryPlatform(options), trusted: currentPlatform().trusted };
}

/** Creates the tool `run` of a plugin with this `main.ts` and, optionally, more files. */
export function trustedTool(main: string, more: Readonly<Record<string, string>> = {}): RegisteredTool {
  const tool = pluginToolOf("words", { name: "run", sideEffects: ["read", "write", "network", "execute"] });
  const { binding } = tool;
  if (binding.kind !== "plugin") throw new Error("no plugin");
  const files = new Map(Object.entries({ "main.ts": main, ...more }).map(([path, text]) => [path, new TextEncoder().encode(text)]));
  return { ...tool, binding: { kind: "plugin", version: { ...binding.version, files } } };
}

/** Creates a tool from the body of its function, which can use `args` and `context`. */
export function toolBody(body: string): RegisteredTool {
  return trustedTool(`export async function run(args: any, context: any) { ${body} }`);
}

/** Creates a tool whose body can use `attempt(name, act)`. It returns the result of each attempt, or the error's name and message. */
export function attempts(body: string): RegisteredTool {
  return toolBody(`
    const came: Record<string, unknown> = {};
    const attempt = async (name: string, act: () => unknown) => {
      try { came[name] = (await act()) ?? null; } catch (error: any) { came[name] = error.name + ": " + error.message; }
    };
    ${body}
    return came;
  `);
}

export interface TrustedExecution extends Omit<TestExecution, "tool"> {
  readonly confinement?: Confinement;
}

export function trustedExecution(tool: RegisteredTool, { confinement = "deno", ...options }: TrustedExecution = {}): Execution {
  const execution = executionOf({ tool, ...options });
  return { ...execution, decision: { ...execution.decision, confinement } };
}

export interface RealRun {
  readonly outcome: Outcome;
  readonly events: readonly HostEvent[];
  /** Recorded acts, each as `permission value decision layer`. */
  readonly acts: readonly string[];
  readonly log: readonly unknown[];
}

export interface RealRunOptions extends TrustedExecution {
  /** Path of a real folder. */
  readonly workspace: string;
  readonly platform?: Partial<Platform>;
  readonly openTools?: OpenToolCalls;
  /** Folder above `data` and `databases`. Absent: plugins have no data. */
  readonly dataFolders?: string;
}

/** Runs one call on real files. */
export async function runTrusted(
  tool: RegisteredTool,
  { workspace, platform: parts, permissions = {}, openTools, dataFolders: above, ...options }: RealRunOptions,
): Promise<RealRun> {
  const memory = memoryPlatform();
  const platform = { ...currentPlatform(), log: memory.log, ...parts };
  const { events, ...route } = routeOptions(platform);
  const { decision, call, ...execution } = trustedExecution(tool, options);
  const layer = {
    name: "test",
    permissions: compilePermissions(permissions, { base: workspace, workspace, tmp: `${workspace}/tmp`, data: `${above}/data/words` }),
    unnamed: "none",
    otherwise: "prompt",
  } as const;
  const dataFolders =
    above === undefined ? undefined : createDataFolders({ data: `${above}/data`, databases: `${above}/databases` }, platform);
  const outcome = await createProcessExecutor({
    ...route,
    graceMs: 200,
    ...(openTools && { openTools }),
    ...(dataFolders && { dataFolders }),
  })({
    ...execution,
    decision: { ...decision, grant: { layers: [layer] } },
    call: { ...call, session: createSession({ id: "session-1", workspace }) },
  });
  const acts = events.flatMap(({ type, payload }) => {
    if (type !== "capability.used" && type !== "capability.denied") return [];
    return [`${payload.permission} ${payload.value} ${payload.decision} ${payload.layer}`];
  });
  return { outcome, events, acts, log: memory.recorded.log };
}
