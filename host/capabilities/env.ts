/** The environment bridge: only granted names, secrets by reference (SPEC C7). */

import { evaluateAccess, type PermissionItem, type PermissionValue, type SecretItem } from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";
import { answer, failure } from "./answer.ts";
import type { Bridge, BridgeContext } from "./bridge.ts";
import { toAct } from "./checked.ts";
import { operation } from "./operation.ts";
import { refusalMessage } from "./refusal.ts";

export const envBridge: Bridge = {
  name: "env",
  operations: {
    "env.get": operation({ name: "string" }, async ({ name }, context) =>
      look(name, context, { read: () => valueOf(name, context) ?? null, absent: null }),
    ),
    "env.has": operation({ name: "string" }, async ({ name }, context) =>
      look(name, context, { read: () => valueOf(name, context) !== undefined, absent: false }),
    ),
    "env.toObject": operation({}, async (_args, context) => allGranted(context)),
  },
};

interface Look {
  readonly read: () => string | boolean | null;
  /** The answer for a variable that is not set. */
  readonly absent: false | null;
}

function look(name: string, context: BridgeContext, { read, absent }: Look): HostAnswer {
  if (name === "") return failure("TypeError", "Key is an empty string.");
  if (/[=\0]/.test(name)) return failure("TypeError", `Key contains invalid characters: ${JSON.stringify(name)}`);
  const query = { kind: "env", name } as const;
  const verdict = evaluateAccess(context.grant.layers, query);
  context.record(toAct("env", name, verdict));
  if (verdict.state === "granted") return answer(read());
  // `ignore` of Deno's grammar: as if it were not set.
  if (verdict.decidedBy.ignored === true) return answer(absent);
  return failure("NotCapable", refusalMessage(query, name, verdict, context));
}

/** Deno asks for all of the environment here; we hand out what is granted, which tells nothing more. */
function allGranted(context: BridgeContext): HostAnswer {
  const variables = new Map<string, string>();
  for (const name of context.platform.environment.names()) {
    const verdict = evaluateAccess(context.grant.layers, { kind: "env", name });
    if (verdict.state !== "granted") continue;
    const value = valueOf(name, context);
    if (value === undefined) continue;
    variables.set(name, value);
    context.record(toAct("env", name, verdict));
  }
  return answer(Object.fromEntries(variables));
}

/** The value, or for a secret what the host later puts the value in for. */
function valueOf(name: string, context: BridgeContext): string | undefined {
  const value = context.platform.environment.get(name);
  return value !== undefined && isSecret(name, context) ? `bascule-secret:${name}` : value;
}

/** Any layer that calls it a secret makes it one: no other can hand out the value. */
function isSecret(name: string, { grant }: BridgeContext): boolean {
  return grant.layers.some((layer) => itemsOf(layer.permissions.source.env).some((item) => isSecretItem(item) && item.name === name));
}

function itemsOf(value: PermissionValue | undefined): readonly PermissionItem[] {
  if (value === undefined || typeof value === "boolean") return [];
  if (isItemList(value)) return value;
  return value.allow === undefined || typeof value.allow === "boolean" ? [] : value.allow;
}

function isItemList(value: object): value is readonly PermissionItem[] {
  return Array.isArray(value);
}

function isSecretItem(item: PermissionItem): item is SecretItem {
  return typeof item === "object" && "secret" in item;
}
