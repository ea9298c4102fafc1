/** `bascule://audit`: journal events of this client's session, never of another session. */

import { EVENT_TYPES } from "../../audit/events.ts";
import type { Host } from "../../host/host-interface.ts";
import { eventWithoutGrants } from "../without-grants.ts";
import { jsonResource, type McpResources, queryOf } from "./resources.ts";

const AUDIT_URI = "bascule://audit";
const PARAMETERS = ["type", "tool", "callId", "until"] as const;
const EVENTS = 100;

export function auditResources(host: Host): McpResources {
  return {
    prefix: AUDIT_URI,
    list: () => [
      {
        uri: AUDIT_URI,
        name: "audit",
        title: "Audit",
        description: `The last ${EVENTS} events of this session, oldest first`,
        mimeType: "application/json",
      },
    ],
    templates: () => [
      {
        uriTemplate: `${AUDIT_URI}{?${PARAMETERS.join(",")}}`,
        name: "audit search",
        description: "Events of this session; `until` (milliseconds since the epoch) pages back",
        mimeType: "application/json",
      },
    ],
    async read(uri, client) {
      if (uri !== AUDIT_URI && !uri.startsWith(`${AUDIT_URI}?`)) return undefined;
      const query = queryOf(uri, PARAMETERS);
      const until = Number(query.get("until") ?? Number.NaN);
      const { id: sessionId } = await client.session();
      await host.audit.flush();
      const damage: string[] = [];
      const kept = await host.audit.search(
        {
          sessionId,
          ...(["type", "tool", "callId"] as const).reduce(
            (filter, name) => ({ ...filter, ...(query.has(name) && { [name]: query.get(name) }) }),
            {},
          ),
          ...(Number.isFinite(until) && { until }),
        },
        EVENTS,
        (found) => damage.push(found),
      );
      const events = kept.map(({ number, event }) => ({ number, ...eventWithoutGrants(event) }));
      return jsonResource(uri, { events, ...(damage.length > 0 && { damage }) });
    },
    complete: (_template, argument, value) => (argument === "type" ? EVENT_TYPES.filter((type) => type.startsWith(value)) : []),
  };
}
