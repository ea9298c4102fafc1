/** All endpoints of the server. To add an endpoint, add an entry to one of these tables. */

import { AUDIT_ENDPOINTS, type AuditApi } from "./audit-endpoints.ts";
import { CALL_ENDPOINTS } from "./call-endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { INSIGHT_ENDPOINTS, type InsightApi } from "./insight-endpoints.ts";
import { PLUGIN_ENDPOINTS, type PluginApi } from "./plugin-endpoints.ts";
import { PERSON_ENDPOINTS, type PersonApi } from "./person-endpoints.ts";
import { SESSION_ENDPOINTS, type SessionApi } from "./session-endpoints.ts";
import { SOURCE_ENDPOINTS, type SourceApi } from "./source-endpoints.ts";
import { SYSTEM_ENDPOINTS, type SystemApi } from "./system-endpoints.ts";
import { WAITING_ENDPOINTS, type WaitingApi } from "./waiting-endpoints.ts";

/** Dependencies of all endpoints. */
export interface HttpApi extends SystemApi, SessionApi, PersonApi, PluginApi, AuditApi, InsightApi, SourceApi, WaitingApi {
  readonly host: SessionApi["host"] & PersonApi["host"] & SourceApi["host"] & WaitingApi["host"];
  readonly platform: SessionApi["platform"] & PersonApi["platform"];
}

export const ENDPOINTS: readonly Endpoint<HttpApi>[] = [
  ...SYSTEM_ENDPOINTS,
  ...CALL_ENDPOINTS,
  ...WAITING_ENDPOINTS,
  ...SESSION_ENDPOINTS,
  ...PERSON_ENDPOINTS,
  ...PLUGIN_ENDPOINTS,
  ...SOURCE_ENDPOINTS,
  ...AUDIT_ENDPOINTS,
  ...INSIGHT_ENDPOINTS,
];
