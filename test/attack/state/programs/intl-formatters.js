// Makes formatters that keep what they resolved, and changes what others are made of.
const kept = [];
export function plant() {
  for (const locale of ["de", "ar-EG", "th-u-nu-thai", "zh-Hant"]) {
    kept.push(new Intl.NumberFormat(locale), new Intl.DateTimeFormat(locale, { dateStyle: "full", timeZone: "Asia/Tokyo" }));
    kept.at(-1).format(0);
    (5).toLocaleString(locale);
  }
  "ä".localeCompare("b", "sv");
  Object.defineProperty(Intl.NumberFormat.prototype, "format", { value: () => "planted" });
  Intl.Collator = class {};
  Number.prototype.toLocaleString = () => "planted";
}
export function probe() {
  return [kept.length, new Intl.NumberFormat("en").format(1), (1234.5).toLocaleString("de"), typeof new Intl.Collator("de").compare, ["b", "ä"].sort(new Intl.Collator("de").compare)];
}
