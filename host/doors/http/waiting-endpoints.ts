/** Endpoints of calls that wait and survive the host (SPEC FR4), as `bascule waiting`. */

import { type TSchema, Type } from "@sinclair/typebox";
import type { WaitingCall } from "../../effects/frozen/frozen-calls.ts";
import type { Host } from "../../host/host-interface.ts";
import type { Slices } from "../../platform/platform.ts";
import { CANCELLED, shownTo } from "./call-endpoints.ts";
import { type ApiRequest, type Endpoint, json, jsonOfList, jsonOfResults } from "./endpoint.ts";
import { RequestProblem } from "./problem.ts";
import { ID, listed, oneOf, some, TIME } from "./schema-parts.ts";
import { isGoodFor } from "./tokens.ts";

/** Dependencies of these endpoints. */
export interface WaitingApi {
  readonly host: Pick<Host, "waiting" | "cancelCall">;
  readonly platform: { readonly slices: Slices };
}

const WAITING: TSchema = some({
  callId: ID,
  tool: Type.String(),
  plugin: Type.Optional(Type.String()),
  digest: Type.Optional(Type.String()),
  sessionId: ID,
  owner: Type.Optional(Type.String()),
  since: TIME,
  waitsFor: oneOf(["confirmation", "sleep"]),
  requestId: Type.Optional(Type.String({ description: "Id of the confirmation" })),
  until: Type.Optional(TIME),
  hasBegun: Type.Boolean({ description: "Whether the tool had begun" }),
  bytes: Type.Integer({ description: "Size of its guest, as kept" }),
});

export const WAITING_ENDPOINTS: readonly Endpoint<WaitingApi>[] = [
  {
    method: "get",
    path: "/v1/waiting",
    id: "listWaiting",
    summary: "List the token's calls that wait and survive the host; those of all callers for an admin",
    scope: "call",
    answers: { 200: { about: "The waiting calls", schema: listed("waiting", WAITING) } },
    run: (request, api) => jsonOfList("waiting", waitingOf(request, api), (call) => call, api.platform.slices),
  },
  {
    method: "get",
    path: "/v1/waiting/{callId}",
    id: "getWaiting",
    summary: "Get a waiting call",
    scope: "call",
    answers: { 200: { about: "The waiting call", schema: WAITING } },
    run: (request, api) => json(find(request, api)),
  },
  {
    method: "post",
    path: "/v1/waiting/{callId}/cancel",
    id: "cancelWaiting",
    summary: "Cancel a waiting call, also one of an earlier host",
    about: "What the call did until now stays.",
    scope: "call",
    answers: { 200: { about: "Whether the call was still waiting or running, and its result", schema: CANCELLED } },
    async run(request, api) {
      const result = await api.host.cancelCall(find(request, api).callId);
      return jsonOfResults({ cancelled: result !== undefined, result: result && shownTo(request.caller, result) }, api.platform.slices);
    },
  },
];

function waitingOf({ caller }: Pick<ApiRequest, "caller">, { host }: WaitingApi): readonly WaitingCall[] {
  const all = host.waiting();
  return isGoodFor(caller, "admin") ? all : all.filter(({ owner }) => owner === caller.id);
}

function find(request: ApiRequest, api: WaitingApi): WaitingCall {
  const callId = request.params["callId"] ?? "";
  const found = waitingOf(request, api).find((call) => call.callId === callId);
  if (found === undefined) throw new RequestProblem("not_found", "No such call of this token waits (GET /v1/waiting lists them)");
  return found;
}
