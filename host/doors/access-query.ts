/** Subject of a `why` query, as text and as a query of permissions. */

import { type AccessQuery, isPathKind, type PermissionKind } from "../../manifests/mod.ts";
import { toNetQuery } from "../capabilities/mod.ts";

/** Returns the path, host or name of a query; undefined if it is about the whole kind. */
export function valueOf(query: AccessQuery): string | undefined {
  if ("host" in query)
    return `${query.method === undefined ? "" : `${query.method} `}${query.host ?? ""}${query.port === undefined ? "" : `:${query.port}`}`;
  if ("path" in query) return query.path;
  return "name" in query ? query.name : undefined;
}

/** Parses the value of a `why` query. `net` takes `[METHOD ]host`, `[METHOD ]host:port` or a URL. */
export function toQuery(kind: PermissionKind, value: string | undefined): AccessQuery {
  if (value === undefined) return { kind };
  if (isPathKind(kind)) return { kind, path: value };
  if (kind !== "net") return { kind, name: value };
  const [, method, target = ""] = /^(?:([A-Za-z]+) +)?(.*)$/su.exec(value) ?? [];
  const of = method === undefined ? {} : { method: method.toUpperCase() };
  if (/^https?:\/\//iu.test(target) && URL.canParse(target)) return { ...toNetQuery(new URL(target)), ...of };
  const port = /:(\d{1,5})$/u.exec(target)?.[1];
  return { kind, ...of, ...(port === undefined ? { host: target } : { host: target.slice(0, -port.length - 1), port: Number(port) }) };
}
