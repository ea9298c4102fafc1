/** `--role`, `--read-only` and `--no-web`: the caller's role and task (SPEC P5). */

import type { RequestContext } from "../operations.ts";
import type { Options, OptionSpec } from "./arguments.ts";

export const CONTEXT_OPTIONS: readonly OptionSpec[] = [
  { name: "role", value: "name", about: "Use a session with this role" },
  { name: "read-only", about: "Disable tools that write, and write grants" },
  { name: "no-web", about: "Disable network tools, and net grants" },
];

/** Returns the request's context from the options. */
export function requestContext(options: Options): { readonly context?: RequestContext } {
  const role = options.value("role");
  const readOnly = options.has("read-only");
  const noWeb = options.has("no-web");
  if (role === undefined && !readOnly && !noWeb) return {};
  return { context: { readOnly, noWeb, ...(role !== undefined && { role }) } };
}
