import { DateTime, Duration, Interval } from "luxon";

const at = DateTime.fromISO("2024-01-31T12:00:00", { zone: "utc" });

export const adds = () => at.plus({ months: 1, days: 2 }).toISO();
export const formats = () => [at.toFormat("cccc, d LLLL yyyy"), at.setLocale("de").toLocaleString(DateTime.DATE_FULL)];
export const zones = () => at.setZone("America/New_York").toISO();
export const durations = () => Duration.fromMillis(98_765_432).shiftTo("days", "hours", "minutes").toObject();
export const intervals = () => Interval.fromDateTimes(at, at.plus({ days: 3 })).splitBy({ days: 1 }).length;
