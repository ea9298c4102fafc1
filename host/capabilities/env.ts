/** The environment bridge: granted names only, and secrets by reference (SPEC C7). */

import { evaluateAccess } from "../../manifests/mod.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";
import { answer, failure } from "./answer.ts";
import type { Bridge, BridgeContext } from "./bridge.ts";
import { toAct } from "./checked.ts";
import { operation } from "./operation.ts";
import { refusalMessage } from "./refusal.ts";

export const envBridge: Bridge = {
  name: "env",
  operations: {
    "env.get": operation({ name: "string" }, ({ name }, context) =>
      look(name, context, { read: () => valueOf(name, context), absent: null }),
    ),
    "env.has": operation({ name: "string" }, ({ name }, context) =>
      look(name, context, { read: () => isSet(name, context), absent: false }),
    ),
    "env.toObject": operation({}, (_args, context) => allGranted(context)),
  },
};

interface Look {
  readonly read: () => Promise<string | boolean | null | HostAnswer>;
  /** Answer for a variable that is not set. */
  readonly absent: false | null;
}

async function look(name: string, context: BridgeContext, { read, absent }: Look): Promise<HostAnswer> {
  if (name === "") return failure("TypeError", "Key is an empty string.");
  if (/[=\0]/.test(name)) return failure("TypeError", `Key contains invalid characters: ${JSON.stringify(name)}`);
  const query = { kind: "env", name } as const;
  const verdict = evaluateAccess(context.grant.layers, query);
  context.record(toAct("env", name, verdict));
  if (verdict.state === "granted") {
    const found = await read();
    return typeof found === "object" && found !== null ? found : answer(found);
  }
  // `ignore` in Deno's grammar: the variable looks unset.
  if (verdict.decidedBy.ignored === true) return answer(absent);
  return failure("NotCapable", refusalMessage(query, name, verdict, context));
}

/** Deno requires the whole environment here. Returning the granted part discloses nothing more. */
async function allGranted(context: BridgeContext): Promise<HostAnswer> {
  const variables = new Map<string, string>();
  for (const name of new Set([...context.platform.environment.names(), ...context.secrets.names])) {
    const verdict = evaluateAccess(context.grant.layers, { kind: "env", name });
    if (verdict.state !== "granted") continue;
    const value = await valueOf(name, context);
    // A secret that cannot be used is left out here; its error is reported when it is read by name.
    if (typeof value !== "string") continue;
    variables.set(name, value);
    context.record(toAct("env", name, verdict));
  }
  return answer(Object.fromEntries(variables));
}

/** Returns whether a variable is set, without looking up the value of a secret. */
async function isSet(name: string, { platform, secrets }: BridgeContext): Promise<boolean> {
  return secrets.has(name) ? (await secrets.placeholder(name)).kind !== "absent" : platform.environment.get(name) !== undefined;
}

/** Returns the value, a placeholder for a secret, or null if it is not set. */
async function valueOf(name: string, { platform, secrets }: BridgeContext): Promise<string | null | HostAnswer> {
  if (!secrets.has(name)) return platform.environment.get(name) ?? null;
  const outcome = await secrets.placeholder(name);
  if (outcome.kind === "placeholder") return outcome.placeholder;
  return outcome.kind === "absent" ? null : failure("InvalidData", outcome.reason);
}
