/** Problem answers of RFC 9457, for requests that fail. A call that fails is a result with an error instead. */

/** All codes of a problem, with status and title. */
const PROBLEMS = {
  malformed_request: [400, "The request is malformed"],
  invalid_request: [400, "The request is invalid"],
  unauthorized: [401, "A token is required"],
  forbidden: [403, "Not permitted"],
  not_found: [404, "Not found"],
  method_not_allowed: [405, "Method not allowed"],
  not_acceptable: [406, "Not available in the accepted media types"],
  conflict: [409, "Conflict with the current state"],
  gone: [410, "No longer available"],
  too_large: [413, "The request is too large"],
  unsupported_media_type: [415, "Unsupported media type"],
  misdirected: [421, "The request was for another host"],
  too_many: [429, "Too many requests, sessions or streams"],
  internal: [500, "Internal error"],
  unavailable: [503, "Currently unavailable"],
} as const;

/** A code of a problem. */
export type ProblemCode = keyof typeof PROBLEMS;

/** All codes. */
export const PROBLEM_CODES: readonly string[] = Object.keys(PROBLEMS);

/** Extension members of a problem (RFC 9457 §3.2). */
type ProblemExtras = Readonly<Record<string, unknown>>;

/** Creates a problem answer. @param detail what is wrong and what to do, for the user */
export function problem(
  code: ProblemCode,
  detail: string,
  extras: ProblemExtras = {},
  fields: Readonly<Record<string, string>> = {},
): Response {
  const [status, title] = PROBLEMS[code];
  const body = JSON.stringify({ type: "about:blank", title, status, code, detail, ...extras });
  return new Response(body, { status, headers: { ...fields, "content-type": "application/problem+json" } });
}

/** Thrown by an endpoint to answer with a problem. */
export class RequestProblem extends Error {
  override readonly name = "RequestProblem";
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;
  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail);
    this.code = code;
    this.extras = extras;
  }
}
