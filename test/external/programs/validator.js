import validator from "validator";

export const checks = () => [
  validator.isEmail("a@b.co"),
  validator.isURL("http//x"),
  validator.isIBAN("DE89370400440532013000"),
  validator.isISO8601("2024-02-30", { strict: true }),
];
export const cleans = () => [validator.escape("<b>"), validator.normalizeEmail("A.B+c@Gmail.com")];
