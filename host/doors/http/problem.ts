/** What is wrong with a request, as RFC 9457 has it. What is wrong with a call is in its result instead. */

/** Every `code` of a problem, with its status and its title. */
const PROBLEMS = {
  malformed_request: [400, "The request is malformed"],
  invalid_request: [400, "The request is invalid"],
  unauthorized: [401, "A token is needed"],
  forbidden: [403, "This is not permitted"],
  not_found: [404, "There is no such thing"],
  method_not_allowed: [405, "The method is not allowed here"],
  not_acceptable: [406, "The answer has no such form"],
  conflict: [409, "It is something else by now"],
  gone: [410, "It is over"],
  too_large: [413, "The request is too large"],
  unsupported_media_type: [415, "The body is of another type"],
  misdirected: [421, "The request was for another host"],
  too_many: [429, "There are too many"],
  internal: [500, "The host failed"],
  unavailable: [503, "The host is not there for this now"],
} as const;

/** One of the codes. */
export type ProblemCode = keyof typeof PROBLEMS;

/** Every code. */
export const PROBLEM_CODES: readonly string[] = Object.keys(PROBLEMS);

/** Members besides the standard's own. */
export type ProblemExtras = Readonly<Record<string, unknown>>;

/** @param detail what was wrong and what to do, for a person */
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

/** Thrown by what answers a request, to answer with a problem instead. */
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
