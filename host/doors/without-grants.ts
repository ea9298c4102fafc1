/**
 * Removes `decision.grants` from results and events for callers without the admin scope, because the layers of a grant name folders
 * of the user's home and the host's configuration (SPEC I4, D6).
 */

import { isJsonObject } from "../../manifests/mod.ts";
import type { ToolResult } from "../call/call.ts";
import { copyHolder } from "../primitives/json/large.ts";

/** Returns the result without grants, or the same object if it has none. Large values stay bytes. */
export function resultWithoutGrants<R extends ToolResult>(result: R): R {
  if (result.decision?.grants === undefined) return result;
  const { grants: _grants, ...decision } = result.decision;
  return copyHolder(result, { decision } as Partial<R>); // Every kind of result has `decision`.
}

/** Returns a published or stored event without grants. */
export function eventWithoutGrants<E extends object>(event: E): E {
  const payload: unknown = Reflect.get(event, "payload");
  if (!isJsonObject(payload) || !isJsonObject(payload["decision"]) || payload["decision"]["grants"] === undefined) return event;
  const { grants: _grants, ...decision } = payload["decision"];
  return { ...event, payload: { ...payload, decision } };
}
