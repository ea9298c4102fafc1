/** Toolkits: groups of tools of the embedding program that are registered all or none (SPEC K4). */

import { errorText } from "../platform/error-text.ts";
import type { Clock, Log } from "../platform/platform.ts";
import type { Registry } from "../tools/registry.ts";
import { type FunctionToolOptions, functionTool, type ToolFunction } from "./function.ts";
import type { Tool, ToolDeclaration, ToolFactory } from "../tools/tool.ts";

/** A named group of tools. */
export interface Toolkit {
  readonly name: string;
  readonly tools: Readonly<Record<string, ToolkitMember>>;
  /** Side effects of plain functions. Default `["network"]`: their behaviour is unknown, so they need a confirmation. */
  readonly sideEffects?: ToolDeclaration["sideEffects"];
}

/** A function, a function with a description, or a tool. Its key is its name. */
export type ToolkitMember = ToolFunction | ToolkitFunction | Tool;

/** A function with options; its description defaults to `Tool: NAME`. */
export interface ToolkitFunction extends Partial<Omit<FunctionToolOptions, "name">> {
  readonly run: ToolFunction;
}

/** A toolkit, or a function that creates it and may fail. */
export type ToolkitSource = Toolkit | (() => Toolkit | Promise<Toolkit>);

/** Status of a toolkit. */
export type ToolkitStatus =
  | { readonly name: string; readonly ok: true; readonly tools: readonly string[] }
  /** The toolkit was skipped; everything else continues. */
  | { readonly name: string; readonly ok: false; readonly reason: string };

/** The toolkits of a host. */
export interface Toolkits {
  /** Registers all of its tools or none. Never rejects: a failed toolkit is skipped, with the reason in its status and the log. */
  add(source: ToolkitSource): Promise<ToolkitStatus>;
  /** Unregisters its tools; returns false for an unknown name. */
  remove(name: string): boolean;
  /** Lists the toolkits in the order of their registration, including skipped ones. */
  list(): readonly ToolkitStatus[];
}

interface ToolkitsOptions {
  /** Undefined: without a registry the host has no toolkits. */
  readonly registry: Registry | undefined;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

/** Time limit for the start of a toolkit. */
const START_MS = 10_000;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export function createToolkits({ registry, clock, log }: ToolkitsOptions): Toolkits {
  const known = new Map<string, ToolkitStatus>();

  async function add(source: ToolkitSource): Promise<ToolkitStatus> {
    let name = typeof source === "function" ? source.name || "toolkit" : nameOf(source);
    let status: ToolkitStatus;
    try {
      const toolkit = typeof source === "function" ? await inTime(source, clock) : source;
      name = nameOf(toolkit);
      status = { name, ok: true, tools: register(toolkit) };
    } catch (error) {
      status = { name, ok: false, reason: errorText(error) };
      log.write("warn", `Toolkit "${name}" is skipped: ${status.reason}`);
    }
    const shown = Object.freeze(status);
    // A failed toolkit does not replace the status of a previous one that serves.
    if (shown.ok || known.get(name)?.ok !== true) known.set(name, shown);
    return shown;
  }

  function register(toolkit: Toolkit): readonly string[] {
    const { name } = toolkit;
    if (!NAME.test(name)) throw new TypeError(`"${name}" is not a valid toolkit name (use letters, digits, "-" and "_")`);
    if (registry === undefined) throw new TypeError("the host was created with registry: null");
    const factories = Object.entries(toolkit.tools).map(([tool, member]) => toFactory(tool, member, toolkit.sideEffects));
    for (const tool of Object.keys(toolkit.tools)) refuseTaken(tool, name, registry);
    // The new tools replace the old ones; if one is invalid, all old ones stay.
    const tools = registry.registerMany(factories, { toolkit: name }).map((tool) => tool.name);
    unregister(name, (tool) => !tools.includes(tool));
    return tools;
  }

  function unregister(name: string, isGone: (tool: string) => boolean): void {
    const status = known.get(name);
    for (const tool of status?.ok === true ? status.tools.filter(isGone) : [])
      if (registry?.has(tool) && registry.get(tool).toolkit === name) registry.unregister(tool);
  }

  function remove(name: string): boolean {
    unregister(name, () => true);
    return known.delete(name);
  }

  return { add, remove, list: () => [...known.values()] };
}

function nameOf(toolkit: Toolkit): string {
  const name: unknown = toolkit?.name;
  return typeof name === "string" ? name : "?";
}

/** Tools of the program and of its toolkits share one namespace: a toolkit must not replace another tool. */
function refuseTaken(tool: string, toolkit: string, registry: Registry): void {
  const holder = registry.has(tool) ? registry.get(tool) : undefined;
  if (holder === undefined || holder.plugin !== undefined || holder.toolkit === toolkit) return;
  const whose = holder.toolkit === undefined ? "another tool of the program's" : `a tool of toolkit "${holder.toolkit}"`;
  throw new TypeError(`its tool "${tool}" has the name of ${whose} (rename one of them)`);
}

function toFactory(name: string, member: ToolkitMember, sideEffects: Toolkit["sideEffects"] = ["network"]): ToolFactory {
  const described = { name, description: `Tool: ${name}`, sideEffects };
  if (typeof member === "function") return functionTool(member, { ...described, inputSchema: { type: "object" } });
  if (typeof member !== "object" || member === null) throw new TypeError(`its tool "${name}" is neither a function nor a tool`);
  if ("run" in member) {
    const { run, ...more } = member;
    return functionTool(run, { inputSchema: { type: "object" }, ...described, ...more });
  }
  const definition = { ...member.definition, name, description: member.definition.description || described.description };
  // Each call gets its own object (SPEC R1).
  return () => ({
    definition,
    execute: (args, context) => member.execute(args, context),
    ...(member.cancel && { cancel: async () => (await member.cancel?.()) ?? false }),
  });
}

async function inTime(start: () => Toolkit | Promise<Toolkit>, clock: Pick<Clock, "after">): Promise<Toolkit> {
  let stop = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    stop = clock.after(START_MS, () => reject(new Error(`it did not start within ${START_MS / 1000}s`)));
  });
  try {
    return await Promise.race([start(), late]);
  } finally {
    stop();
  }
}
