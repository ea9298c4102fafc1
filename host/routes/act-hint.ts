/** The grant that would have allowed a refused act (SPEC X3). */

import { type AccessQuery, evaluateAccess } from "../../manifests/mod.ts";
import type { GrantHint } from "../call/errors.ts";
import { isInnerHost } from "../capabilities/inner-host.ts";
import { type CapabilityAct, grantHint } from "../capabilities/mod.ts";
import type { Execution } from "../tools/execution.ts";

/** Returns a hint made from the host's own record of the act, never from what the guest said about it. */
export function actHint({ permission, value, isLed }: CapabilityAct, { tool, call, decision }: Execution): GrantHint | undefined {
  const query = toQuery(permission, value);
  // A server that redirects a call to an inner host wants the user to follow exactly this hint.
  if (query?.kind === "net" && isLed === true && isInnerHost(query.host ?? "")) return undefined;
  if (query === undefined || evaluateAccess(decision.grant.layers, query).state !== "prompt") return undefined;
  return grantHint(query, {
    grant: decision.grant,
    cwd: call.session.workspace,
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
  });
}

function toQuery(permission: string, value: string): AccessQuery | undefined {
  // A hint must not offer everything of a kind.
  if (value === "") return undefined;
  if (permission === "read" || permission === "write") return { kind: permission, path: value };
  if (permission === "tools") return { kind: permission, name: value };
  if (permission === "env" || permission === "run" || permission === "sys") return { kind: permission, name: value };
  if (permission !== "net") return undefined;
  const parts = /^(.*):([0-9]+)$/s.exec(value);
  return parts === null ? { kind: "net", host: value } : { kind: "net", host: parts[1] ?? "", port: Number(parts[2]) };
}
