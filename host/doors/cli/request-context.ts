/** `--role`, `--read-only` and `--no-web`: the caller's role and task (SPEC P5). */

import { type RequestContext, SESSION_NAME } from "../operations.ts";
import { usageError } from "./cli-error.ts";
import type { Options, OptionSpec } from "./arguments.ts";

export const CONTEXT_OPTIONS: readonly OptionSpec[] = [
  { name: "role", value: "name", about: "Use a session with this role" },
  { name: "read-only", about: "Disable tools that write, and write grants" },
  { name: "no-web", about: "Disable network tools, and net grants" },
];

/** For commands that call a tool. */
export const SESSION_OPTION: OptionSpec = {
  name: "session",
  value: "name",
  about: 'Use the session of this name in the running host, where plugins with "state": "session" keep theirs',
};

/** Returns the request's context from the options. */
export function requestContext(options: Options): { readonly context?: RequestContext } {
  const role = options.value("role");
  const readOnly = options.has("read-only");
  const noWeb = options.has("no-web");
  const session = options.value(SESSION_OPTION.name);
  if (session !== undefined && !SESSION_NAME.test(session))
    throw usageError(`Option "--session" must be a name of letters, digits, ".", "_" and "-", not "${session}"`);
  if (role === undefined && session === undefined && !readOnly && !noWeb) return {};
  return { context: { readOnly, noWeb, ...(role !== undefined && { role }), ...(session !== undefined && { session }) } };
}
