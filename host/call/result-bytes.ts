/** How much of a result a session takes at once, in bytes (SPEC X6). */

/** Unless it says otherwise. */
export const DEFAULT_RESULT_BYTES: number = 1024 * 1024;
/** Less than this holds no summary. */
export const LEAST_RESULT_BYTES = 4_096;
