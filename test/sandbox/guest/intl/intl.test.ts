import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOCAL_OPERATIONS } from "../../../../sandbox/worker/operations/local-operations.ts";
import "../../../support/seed.ts";
import { startGuest } from "../engine.ts";
import { askBoth } from "../oracle.ts";

const CASES = [
  // Numbers
  `new Intl.NumberFormat("de-DE", { style: "currency", currency: "EUR" }).format(-1234567.891)`,
  `[1e21, 0, -0, NaN, Infinity, 123456789012345678901234567890n, "12345678901234567890.123456789", "0x10", "text", null, undefined, true, { valueOf: () => 4 }].map((n) => new Intl.NumberFormat("en").format(n))`,
  `new Intl.NumberFormat("hi-IN-u-nu-deva", { notation: "compact", compactDisplay: "long", maximumFractionDigits: 2 }).formatToParts(123456.789)`,
  `[new Intl.NumberFormat("fr", { style: "unit", unit: "kilometer-per-hour", unitDisplay: "long" }).format(50), new Intl.NumberFormat("en", { style: "percent", signDisplay: "always", minimumFractionDigits: 1 }).format(0.256), new Intl.NumberFormat("en", { useGrouping: false }).format(12345), new Intl.NumberFormat("en", { roundingMode: "floor", maximumFractionDigits: 0 }).format(2.9)]`,
  `[new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 }).formatRange(3, 5), new Intl.NumberFormat("en").formatRangeToParts(1n, "2")]`,
  `[Intl.NumberFormat("en") instanceof Intl.NumberFormat, [1, 2.5].map(Intl.NumberFormat("de").format), ((f) => f.format === f.format)(new Intl.NumberFormat())]`,
  `new Intl.NumberFormat("de", { style: "currency", currency: "EUR" }).resolvedOptions()`,
  // Dates
  `new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeStyle: "long", timeZone: "Asia/Tokyo" }).format(0)`,
  `new Intl.DateTimeFormat("de", { timeZone: "UTC", weekday: "long", year: "numeric", month: "long", day: "numeric", hour: "2-digit", fractionalSecondDigits: 3, second: "numeric" }).formatToParts(new Date(1e12))`,
  `[new Intl.DateTimeFormat("en", { timeZone: "UTC" }).formatRange(0, 864e5 * 40).replace(/\\s/g, " "), new Intl.DateTimeFormat("ja-JP-u-ca-japanese", { timeZone: "UTC", dateStyle: "long" }).format(1e12), new Intl.DateTimeFormat("en", { timeZone: "UTC", hour: "numeric", hour12: false }).format(0), new Intl.DateTimeFormat("en", { timeZone: "UTC", hour: "numeric", hour12: 0 }).format(36e5)]`,
  `new Intl.DateTimeFormat("ar-EG", { timeZone: "UTC" }).resolvedOptions()`,
  `new Intl.DateTimeFormat("en", { timeZone: "UTC" }).formatRangeToParts(new Date(0), 1)`,
  `(() => { const before = Date.now(); const shown = Date.parse(new Intl.DateTimeFormat("en", { timeZone: "UTC", timeZoneName: "short", dateStyle: undefined, year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", second: "numeric" }).format()); return Math.abs(shown - before) < 2000 })()`,
  // Comparing
  `["z", "ä", "a", "Z", "e\u0301", "é", "10", "2"].sort(new Intl.Collator("de").compare).join()`,
  `["z", "ä", "a"].sort(new Intl.Collator("sv").compare)`,
  `["10", "9", "1"].sort(new Intl.Collator("en", { numeric: true }).compare)`,
  `[new Intl.Collator("en", { sensitivity: "base" }).compare("a", "Á"), new Intl.Collator("en", { sensitivity: "accent", numeric: 0 }).compare("2", "10"), new Intl.Collator().resolvedOptions()]`,
  `[["b", "a", "A", "ä"].sort((a, b) => a.localeCompare(b)), "a".localeCompare("b", "en"), "ä".localeCompare("z", "sv"), "a".localeCompare("A", undefined, { sensitivity: "base" }), "x".localeCompare("x"), "\\ud800".localeCompare("\\0")]`,
  // Words
  `[0, 1, 2, 3, 5, 11, 100, 1.5].map((n) => new Intl.PluralRules("ar").select(n))`,
  `[1, 2, 3, 4, 11, 21].map((n) => new Intl.PluralRules("en", { type: "ordinal" }).select(n)).concat(new Intl.PluralRules("en").selectRange(1, 2), new Intl.PluralRules("cs").resolvedOptions().pluralCategories.sort())`,
  `[new Intl.RelativeTimeFormat("es", { numeric: "auto" }).format(-1, "day"), new Intl.RelativeTimeFormat("en").format(-0, "weeks"), new Intl.RelativeTimeFormat("en", { style: "narrow" }).formatToParts(10, "month")]`,
  `[new Intl.ListFormat("en", { type: "disjunction" }).format(["a", "b", "c"]), new Intl.ListFormat("de").format(new Set(["x", "y"])), new Intl.ListFormat("en").formatToParts(["a", "b"]), new Intl.ListFormat("en").format()]`,
  `[new Intl.DisplayNames("fr", { type: "region" }).of("US"), new Intl.DisplayNames(["de"], { type: "language" }).of("pt-BR"), new Intl.DisplayNames("en", { type: "currency" }).of("JPY"), new Intl.DisplayNames("en", { type: "region", fallback: "none" }).of("ZX")]`,
  `new Intl.DurationFormat("en", { style: "long" }).format({ hours: 1, minutes: 46, seconds: 40 })`,
  `new Intl.DurationFormat("en", { style: "digital", hours: "2-digit" }).formatToParts({ hours: 1, seconds: 4 })`,
  // Segments
  `[...new Intl.Segmenter("en", { granularity: "grapheme" }).segment("👨‍👩‍👧e\u0301x")].map(({ segment, index }) => [segment, index])`,
  `[...new Intl.Segmenter("en", { granularity: "word" }).segment("Hello, wörld! It's 3.5.")]`,
  `[...new Intl.Segmenter("th", { granularity: "word" }).segment("สวัสดีชาวโลก")].map((s) => s.segment)`,
  `(() => { const s = new Intl.Segmenter("en", { granularity: "sentence" }).segment("One. Two? Three"); return [[...s], s.containing(6), s.containing(0), s.containing(), s.containing(99), s.containing(-1), s.containing(14.9), [...new Intl.Segmenter().segment("")]] })()`,
  `Object.prototype.toString.call(new Intl.Segmenter("en").segment("a")[Symbol.iterator]())`,
  // Locales
  `["en-Latn-US-u-ca-buddhist-nu-thai", "zh-hans-cn", "sl-rozaj-u-co-phonebk-kn-kf-upper-hc-h23", "de"].map((tag) => { const l = new Intl.Locale(tag); return [String(l), l.baseName, l.language, l.script, l.region, l.calendar, l.collation, l.caseFirst, l.hourCycle, l.numeric, l.numberingSystem, l.variants, l.maximize().toString(), l.minimize().toString()] })`,
  `[new Intl.Locale("en", { region: "GB", hourCycle: "h12", numeric: true }).toString(), new Intl.Locale(new Intl.Locale("fr"), { calendar: "gregory" }).toString(), new Intl.Locale("ar-EG").getTextInfo(), new Intl.Locale("en-US").getWeekInfo(), new Intl.Locale("de-AT").getTimeZones(), new Intl.Locale("en").getTimeZones(), new Intl.Locale("th").getCalendars()]`,
  `[Intl.getCanonicalLocales(["EN-us", "zh-hans"]), Intl.getCanonicalLocales(), Intl.NumberFormat.supportedLocalesOf(["de", "tlh", "en-AU"]), Intl.supportedValuesOf("calendar"), new Intl.NumberFormat(new Intl.Locale("de")).format(1.5), new Intl.NumberFormat(["xx", "de"]).format(1.5), new Intl.NumberFormat([]).resolvedOptions().locale === new Intl.NumberFormat().resolvedOptions().locale]`,
  // Values of the language itself
  `[(1234.5).toLocaleString("de"), (1234.5).toLocaleString("en", { style: "currency", currency: "USD" }), 12345678901234567890n.toLocaleString("en"), NaN.toLocaleString("ar")]`,
  `[new Date(0).toLocaleString("en-GB", { timeZone: "UTC" }), new Date(0).toLocaleDateString("de", { timeZone: "UTC", dateStyle: "medium" }), new Date(0).toLocaleTimeString("en-US", { timeZone: "UTC" }), new Date(NaN).toLocaleString("de")]`,
  `[[1234.5, new Date(0), null, "x", [2]].toLocaleString("de", { timeZone: "UTC" }), new Float64Array([1.5, 2000]).toLocaleString("de"), (() => { const a = [1]; a.push(a); return a.toLocaleString("en") })()]`,
  `["i".toLocaleUpperCase("tr"), "İ".toLocaleLowerCase("tr"), "ß".toLocaleUpperCase(), "I".toLocaleLowerCase(["az", "en"])]`,
  // Shapes
  `Object.getOwnPropertyNames(Intl).sort()`,
  `["NumberFormat", "DateTimeFormat", "Collator", "PluralRules", "RelativeTimeFormat", "ListFormat", "DisplayNames", "Segmenter", "DurationFormat", "Locale"].map((name) => [Intl[name].name, Intl[name].length, Object.getOwnPropertyNames(Intl[name]).sort(), Object.getOwnPropertyNames(Intl[name].prototype).sort(), Object.prototype.toString.call(Intl[name].prototype), Object.keys(Intl[name].prototype)])`,
  `class Own extends Intl.NumberFormat {}; new Own("de").format(1.5)`
    .replace(/^class/u, "(() => { class")
    .replace(/;(?= new)/u, "; return") + " })()",
];

const REFUSED = [
  ...[`"x"`, `["de", 5]`, `null`, `"de_DE"`, `[null]`, `5`].map((locale) => `new Intl.NumberFormat(${locale})`),
  `new Intl.NumberFormat("en", { style: "currency" })`,
  `new Intl.NumberFormat("en", { style: "nope" })`,
  `new Intl.NumberFormat("en", { minimumFractionDigits: 101 })`,
  `new Intl.NumberFormat("en", { minimumFractionDigits: NaN })`,
  `new Intl.NumberFormat("en", null)`,
  `new Intl.NumberFormat("en").format(Symbol())`,
  `new Intl.DateTimeFormat("en", { timeZone: "Mars/Olympus" })`,
  `new Intl.DateTimeFormat("en").format(NaN)`,
  `new Intl.DateTimeFormat("en").formatRange(0)`,
  `new Intl.DateTimeFormat("en", { dateStyle: "full", year: "numeric" })`,
  `new Intl.RelativeTimeFormat("en").format(1, "eon")`,
  `new Intl.RelativeTimeFormat("en").format(Infinity, "day")`,
  `new Intl.DisplayNames("en")`,
  `new Intl.DisplayNames("en", {})`,
  `new Intl.DisplayNames("en", { type: "region" }).of("nonsense")`,
  `new Intl.ListFormat("en").format([1])`,
  `new Intl.ListFormat("en").format(5)`,
  `new Intl.Locale()`,
  `new Intl.Locale(5)`,
  `new Intl.Locale("x")`,
  `new Intl.Locale("en", { region: "nonsense" })`,
  `Intl.PluralRules()`,
  `Intl.Segmenter()`,
  `Intl.supportedValuesOf("nonsense")`,
  `Intl.NumberFormat.prototype.format`,
  `Intl.Collator.prototype.resolvedOptions.call(new Intl.NumberFormat())`,
  `Number.prototype.toLocaleString.call("1")`,
  `String.prototype.localeCompare.call(null, "a")`,
  `new Date().toLocaleString("x")`,
  `new Date(0).toLocaleDateString("en", { timeStyle: "short" })`,
  `new Intl.DurationFormat("en").format({ hours: 1, minutes: -1 })`,
];

describe("Intl", () => {
  it("returns the same as Deno, in every class and every locale-sensitive method [PB2.intl]", async () => {
    const { deno, guest } = await askBoth(CASES);
    expect(guest).toEqual(deno);
  });

  it("refuses the same as Deno, with the same classes [PB2.intl]", async () => {
    const { deno, guest } = await askBoth(REFUSED);
    expect(guest).toEqual(deno);
  });

  it("compares plain texts without the worker, in the worker's order [PB2.intl]", async () => {
    const guest = await startGuest({
      source: `export const tool = ({ pairs, locale }) => { const { compare } = new Intl.Collator(locale); return pairs.map(([a, b]) => [a.localeCompare(b), compare(a, b)]) }`,
    });
    const ascii = fc.string({ maxLength: 6 });
    const close = fc.string({ unit: fc.constantFrom("a", "A", "b", " ", "_", "1", "-", "\u0301", "é", "\u00ad", "\u0000"), maxLength: 5 });
    const pairs = fc.sample(fc.oneof(fc.tuple(ascii, ascii), fc.tuple(close, close)), 3_000);
    for (const locale of [
      "en",
      "en-US",
      "en-GB",
      "de",
      "de-DE",
      "fr",
      "fr-FR",
      "it",
      "pt",
      "pt-BR",
      "nl",
      "sv",
      "da",
      "en-u-kn",
      "de-u-co-phonebk",
    ]) {
      const [plain, own] = [new Intl.Collator("en-US"), new Intl.Collator(locale)];
      expect(guest.output({ args: { pairs, locale } })).toEqual(pairs.map(([a, b]) => [plain.compare(a, b), own.compare(a, b)]));
    }
    guest.dispose();
  });

  it("is the same on every machine if no locale is named [PB2.intl] [B9]", async () => {
    const guest = await startGuest({
      source: `export const tool = () => [new Intl.NumberFormat().resolvedOptions().locale, (1234.5).toLocaleString(), "I".toLocaleLowerCase(), navigator.language]`,
    });
    expect(guest.output()).toEqual(["en-US", "1,234.5", "i", "en-US"]);
    guest.dispose();
  });

  it("sends no request until a program creates an object, and then only to the worker [PB2.intl] [D5]", async () => {
    const guest = await startGuest({ source: `export const tool = () => new Intl.NumberFormat("de").format(1.5)` });
    expect([guest.output(), guest.crossings]).toEqual(["1,5", []]);
    guest.dispose();
  });

  it("bounds its arguments [PB2.intl] [B3]", async () => {
    const guest = await startGuest({
      source: `const attempt = (f) => { try { return f() } catch (error) { return [error.name, error.message] } };
      export const tool = () => [
        attempt(() => [...new Intl.Segmenter("en").segment("x".repeat(2 ** 20))].length),
        attempt(() => new Intl.NumberFormat("en").format(10n ** 20000n)),
        attempt(() => new Intl.NumberFormat("en").format("1e1000000")),
        attempt(() => new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format("1e-1000000")),
        attempt(() => new Intl.Collator("en").compare("ä".repeat(2 ** 20), "y")),
      ]`,
    });
    const tooLong = (maximum: number): string[] => ["RangeError", `Intl takes at most ${maximum} characters at once (split the text)`];
    const digits = ["RangeError", "Intl formats numbers of at most 10000 digits"];
    expect(guest.output()).toEqual([tooLong(2 ** 20), digits, "∞", "0", tooLong(2 ** 18)]);
    guest.dispose();
  });
});

describe("the operations of Intl", () => {
  const run = (operation: string, request: unknown): string =>
    LOCAL_OPERATIONS.get(operation)?.(typeof request === "string" ? request : JSON.stringify(request), undefined, {
      monotonicMs: () => 0,
      randomBytes: () => new Uint8Array(0),
    }).answer ?? "";

  it("reach nothing of the runtime except the entries of their tables [PB2.intl] [B5]", () => {
    for (const c of ["constructor", "__proto__", "Locale", "supportedValuesOf", "toString", 5, null]) {
      expect(run("intl.call", { c, m: "resolvedOptions" })).toBe('e{"name":"TypeError","message":"Cannot read the Intl call"}');
      expect(run("intl.static", { c, m: "supportedLocalesOf" })).toMatch(/^e/u);
    }
    for (const m of ["constructor", "__defineGetter__", "valueOf", "toString", "compare", "", 1, null]) {
      expect(run("intl.call", { c: "NumberFormat", m })).toMatch(/^e/u);
      expect(run("intl.locale", { l: ["de"], m })).toMatch(/^e/u);
      expect(run("intl.value", { m, a: ["x"] })).toMatch(/^e/u);
      expect(run("intl.static", { m })).toMatch(/^e/u);
    }
    for (const a of ["x", [{}], [[1]], [{ n: 1 }], [{ d: 1 }], [null], {}, [{ b: {} }]]) {
      expect(run("intl.call", { c: "ListFormat", m: "format", a })).toMatch(/^e/u);
    }
    expect(run("intl.call", { c: "NumberFormat", l: "de", m: "format" })).toMatch(/^e/u);
    expect(run("intl.call", { c: "NumberFormat", o: [], m: "format" })).toMatch(/^e/u);
    expect(run("intl.segment", { c: "NumberFormat", a: ["x"] })).toMatch(/^e/u);
    expect(run("intl.call", "[".repeat(1_000))).toMatch(/^e/u);
  });

  it("cache few formatters, whatever is requested [PB2.intl] [B3]", () => {
    for (let digits = 0; digits < 500; digits++) {
      expect(
        run("intl.call", { c: "NumberFormat", o: { minimumFractionDigits: digits % 100, other: digits }, m: "format", a: [{ n: "1" }] }),
      ).toMatch(/^v"1/u);
    }
  });
});
