/** Checks who may call a tool: a client directly, or another tool (SPEC M3, K6). */

import type { ToolCall } from "../../call/call.ts";
import { resourceExhausted, toolError, type ToolErrorData } from "../../call/errors.ts";
import { sideEffectClass } from "../../../manifests/mod.ts";
import type { RegisteredTool } from "../../tools/tool.ts";
import { MAX_CHAIN_DEPTH, MAX_CHAIN_STEPS, type ChainPlace } from "../../call/chain.ts";

/** Tools that hand work on to another agent, which has rights of its own. */
const ROUTING_CATEGORY = "routing";
const ROUTING_NAMES: ReadonlySet<string> = new Set(["delegate", "escalate"]);
/** Built-ins for the client only: its kept results and the list of plugins. */
const CLIENTS_OWN: ReadonlySet<string> = new Set(["reload_plugins", "read_result"]);

/** Returns the reason why this caller may not call the tool; undefined if it may. */
export function checkCaller(tool: RegisteredTool, { chain, tool: name }: ToolCall): ToolErrorData | undefined {
  if (chain !== undefined) return checkStep(tool, chain);
  if (tool.definition.callers.includes("direct")) return undefined;
  return denied(`tool '${name}' is for other tools only`, `its "callers" are ${JSON.stringify(tool.definition.callers)}`);
}

function checkStep(tool: RegisteredTool, { index, depth, path, holdsState }: ChainPlace): ToolErrorData | undefined {
  const name = tool.qualifiedName;
  if (index >= MAX_CHAIN_STEPS) return resourceExhausted("steps of a chain", MAX_CHAIN_STEPS);
  if (depth > MAX_CHAIN_DEPTH) return resourceExhausted("depth of a chain", MAX_CHAIN_DEPTH);
  if (isNeverChained(tool)) return denied(`tool '${name}' cannot be called by other tools`);
  if (path.includes(name)) return denied(`tool '${name}' waits for this call itself (${[...path, name].join(" → ")})`);
  if (holdsState && keepsState(tool))
    return denied(`tool '${name}' keeps state between calls, and so does a tool that waits for this call: they would deadlock`);
  if (tool.definition.callers.includes("chain") || onlyReads(tool)) return undefined;
  return denied(`tool '${name}' cannot be called by other tools`, 'its definition has to list "chain" in "callers"');
}

/** Matches delegation, escalation and the built-ins for the client only. */
function isNeverChained({ definition, name, source }: RegisteredTool): boolean {
  return definition.category === ROUTING_CATEGORY || ROUTING_NAMES.has(name) || (source === "builtin" && CLIENTS_OWN.has(name));
}

/** Read-only tools may be chained without a declaration. */
function onlyReads({ definition }: RegisteredTool): boolean {
  return !definition.destructive && ["none", "read"].includes(sideEffectClass(definition.sideEffects));
}

/** Calls of a tool with session state run one after the other within a session. */
export function keepsState({ binding }: RegisteredTool): boolean {
  return binding.kind === "plugin" && binding.version.manifest.state === "session";
}

function denied(what: string, text?: string): ToolErrorData {
  return toolError("permission_denied", `Permission denied: ${what}`, text === undefined ? {} : { hint: { text } });
}
