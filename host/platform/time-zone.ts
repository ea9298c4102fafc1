/** The host's time zone, without `Intl`, whose first answer takes some 20 ms. */

import { readlinkSync } from "node:fs";

/** Returns an identifier of the time zone: `TZ`, else the target of `/etc/localtime`, else the offsets from UTC in winter and in summer. */
export function timeZone(): string {
  const { TZ = "" } = process.env;
  if (TZ !== "") return TZ;
  try {
    return readlinkSync("/etc/localtime");
  } catch {
    // Windows has no such file, and some systems have a copy instead of a link.
    return `${new Date(2026, 0).getTimezoneOffset()} ${new Date(2026, 6).getTimezoneOffset()}`;
  }
}
