/** The host's time zone, without `Intl`, which takes some 20 ms to say its name for the first time. */

import { readlinkSync } from "node:fs";

/** `TZ`, else what `/etc/localtime` links to, else how far from UTC the clock is in winter and in summer. */
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
