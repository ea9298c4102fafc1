/** `--role`, `--read-only` and `--no-web`: who calls, and for what task (SPEC P5). */

import type { RequestContext } from "../operations.ts";
import type { Options, OptionSpec } from "./arguments.ts";

export const CONTEXT_OPTIONS: readonly OptionSpec[] = [
  { name: "role", value: "name", about: "As a session of this role" },
  { name: "read-only", about: "Without tools that write, and without write grants" },
  { name: "no-web", about: "Without network tools, and without net grants" },
];

/** What the options say, as a part of a request. */
export function requestContext(options: Options): { readonly context?: RequestContext } {
  const role = options.value("role");
  const readOnly = options.has("read-only");
  const noWeb = options.has("no-web");
  if (role === undefined && !readOnly && !noWeb) return {};
  return { context: { readOnly, noWeb, ...(role !== undefined && { role }) } };
}
