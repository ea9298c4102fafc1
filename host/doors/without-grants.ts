/**
 * Results and events for callers that are no admins: without `decision.grants`, whose layers name folders of the user's home and
 * the host's configuration (SPEC I4, D6).
 */

import { isJsonObject } from "../../manifests/mod.ts";
import type { ToolResult } from "../call/call.ts";
import { copyHolder } from "../primitives/json/large.ts";

/** The result itself where there is nothing to leave out; large values stay bytes. */
export function resultWithoutGrants<R extends ToolResult>(result: R): R {
  if (result.decision?.grants === undefined) return result;
  const { grants: _grants, ...decision } = result.decision;
  return copyHolder(result, { decision } as Partial<R>); // `decision` is of every kind of result.
}

/** An event as it is published or kept. */
export function eventWithoutGrants<E extends object>(event: E): E {
  const payload: unknown = Reflect.get(event, "payload");
  if (!isJsonObject(payload) || !isJsonObject(payload["decision"]) || payload["decision"]["grants"] === undefined) return event;
  const { grants: _grants, ...decision } = payload["decision"];
  return { ...event, payload: { ...payload, decision } };
}
