import { addMonths, differenceInBusinessDays, eachDayOfInterval, format, formatDistance, parse, parseISO } from "date-fns";
import { de } from "date-fns/locale";

const day = new Date(Date.UTC(2024, 0, 31, 12));

export const formats = () => [format(day, "yyyy-MM-dd'T'HH:mm:ss"), format(day, "EEEE, do MMMM", { locale: de })];
export const adds = () => addMonths(day, 1).toISOString();
export const distances = () => formatDistance(day, addMonths(day, 14), { addSuffix: true });
export const parses = () => [parse("03/02/2024", "dd/MM/yyyy", day).toISOString(), parseISO("2024-02-30T10:00:00Z").getTime()];
export const counts = () => [
  differenceInBusinessDays(addMonths(day, 1), day),
  eachDayOfInterval({ start: day, end: addMonths(day, 1) }).length,
];
