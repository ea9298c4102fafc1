import dayjs from "dayjs";
import relativeTime from "dayjs/plugin/relativeTime.js";
import utc from "dayjs/plugin/utc.js";
import "dayjs/locale/fr.js";

dayjs.extend(utc);
dayjs.extend(relativeTime);

export const formats = () => dayjs.utc("2024-01-31T12:00:00Z").add(1, "month").format("YYYY-MM-DD HH:mm dddd");
export const locales = () => dayjs.utc(0).locale("fr").format("dddd D MMMM YYYY");
export const relates = () => dayjs.utc(0).from(dayjs.utc(1e9));
export const differs = () => dayjs.utc("2024-03-01").diff("2023-03-01", "day");
