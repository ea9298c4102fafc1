/** Maximum bytes of a result that a session takes at once (SPEC X6). */

/** Default of a session. */
export const DEFAULT_RESULT_BYTES: number = 1024 * 1024;
/** Minimum: a summary needs this much. */
export const LEAST_RESULT_BYTES = 4_096;
