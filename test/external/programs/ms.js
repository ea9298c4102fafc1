import ms from "ms";

export const parses = () => [ms("2 days"), ms("1.5h"), ms("-3 min")];
export const writes = () => [ms(60000), ms(2 * 60000, { long: true })];
