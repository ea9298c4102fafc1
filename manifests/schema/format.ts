/** The formats of JSON Schema that are checked. Every expression runs in linear time, and texts are bounded first. */

import { hasLoneSurrogate } from "../text/hidden-text.ts";
import { parseIp } from "../permissions/ip-address.ts";

const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MAX_URI_LENGTH = 65_536;
/** RFC 3339 appendix A. */
const DURATION =
  /^P(?:\d+W|(?:\d+D|\d+M(?:\d+D)?|\d+Y(?:\d+M(?:\d+D)?)?)(?:T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))?|T(?:\d+H(?:\d+M(?:\d+S)?)?|\d+M(?:\d+S)?|\d+S))$/;
const NOT_IN_URI = /[^\w:/?#[\]@!$&'()*+,;=.~%-]|%(?![0-9a-fA-F]{2})/;

const CHECKS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date", isDate],
  ["time", isTime],
  ["date-time", isDateTime],
  ["email", isEmail],
  ["hostname", isHostname],
  ["uri", isUri],
  ["uuid", (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)],
  ["duration", (text) => DURATION.test(text)],
  ["json-pointer", (text) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)],
  ["relative-json-pointer", (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/.test(text)],
  ["regex", isRegex],
  ["uri-reference", (text) => !hasLoneSurrogate(text) && !NOT_IN_URI.test(text)],
  ["ipv4", (text) => !text.includes(":") && parseIp(text) !== undefined],
  ["ipv6", (text) => text.includes(":") && parseIp(text) !== undefined],
]);

/** Formats that `checkFormat` checks; every other format is an annotation and accepts all texts. */
export const CHECKED_FORMATS: readonly string[] = [...CHECKS.keys()];

/** Returns whether `text` is in `format`; true for an unknown format. */
export function checkFormat(format: string, text: string): boolean {
  const check = CHECKS.get(format);
  return check === undefined || (text.length <= MAX_URI_LENGTH && check(text));
}

/** RFC 3339 full-date. */
function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = (DAYS_IN_MONTH[month - 1] ?? 0) + (month === 2 && isLeap ? 1 : 0);
  return day >= 1 && day <= days;
}

/** RFC 3339 full-time; a leap second must end a UTC day. */
function isTime(text: string): boolean {
  const parts = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:z|([+-])(\d{2}):(\d{2}))$/i.exec(text);
  if (parts === null) return false;
  const [hour, minute, second, offsetHour, offsetMinute] = [
    Number(parts[1]),
    Number(parts[2]),
    Number(parts[3]),
    Number(parts[5] ?? 0),
    Number(parts[6] ?? 0),
  ];
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return false;
  const offset = (offsetHour * 60 + offsetMinute) * (parts[4] === "-" ? -1 : 1);
  return second < 60 || (hour * 60 + minute - offset + 2_880) % 1_440 === 1_439;
}

/** RFC 3339 date-time. */
function isDateTime(text: string): boolean {
  return /^[tT]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** RFC 5321 mailbox with a dot-string or a plain quoted local part. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1 || text.length > 254) return false;
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const isLocal =
    local.length <= 64 &&
    (/^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(local) || /^"[\x20\x21\x23-\x5b\x5d-\x7e]*"$/.test(local));
  const literal = /^\[(?:IPv6:)?([0-9a-fA-F:.]+)\]$/.exec(domain)?.[1];
  return isLocal && (literal === undefined ? isHostname(domain) : parseIp(literal) !== undefined);
}

/** RFC 1123. */
function isHostname(text: string): boolean {
  return text.length <= 253 && text.split(".").every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(label));
}

/** RFC 3986, absolute: a scheme, then characters that a URI may contain, percent-encoded if necessary. */
function isUri(text: string): boolean {
  if (hasLoneSurrogate(text) || !/^[a-z][a-z0-9+.-]*:/i.test(text)) return false;
  return !NOT_IN_URI.test(text);
}

/** ECMA-262 with the `u` flag; only compiled. */
function isRegex(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
