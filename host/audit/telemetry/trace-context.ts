/** Parses and writes the `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header). */

import type { SpanContext } from "@opentelemetry/api";

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Parses a `traceparent`. Returns undefined for values that the recommendation requires readers to ignore. */
export function fromTraceparent(text: string): SpanContext | undefined {
  const [, version, traceId = "", spanId = "", flags = "", rest] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & SAMPLED, isRemote: true };
}

export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${(traceFlags & SAMPLED).toString(16).padStart(2, "0")}`;
}

/** The `sampled` flag, the only one that is defined. */
const SAMPLED = 1;
