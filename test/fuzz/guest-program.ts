/**
 * Random JavaScript programs that terminate and report their observations with `log`.
 *
 * Variables `a` to `f` hold any values. Every statement may throw and is caught, loops are counted, and `cap` keeps values small, so that
 * no program grows without bound.
 */

import fc from "fast-check";

const VARIABLES = ["a", "b", "c", "d", "e", "f"] as const;

/** Fills the holes of a template with values of the arbitraries. */
function text(parts: TemplateStringsArray, ...holes: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...holes).map((drawn) => parts.reduce((whole, part, index) => whole + part + (drawn[index] ?? ""), ""));
}

function oneOf(...choices: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...choices);
}

const variable = oneOf(...VARIABLES);
const quoted = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom("", "abcabc", "a,b,c", "  x ", "İß\u0344", "\ud83d", "0x10", "12.5e3", "__proto__", "length"),
);
const literal = fc.oneof(
  fc.integer({ min: -20, max: 300 }).map(String),
  fc.double().map((value) => (Object.is(value, -0) ? "-0" : String(value))),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 130n }).map((value) => `${value}n`),
  quoted.map((value) => JSON.stringify(value)),
  oneOf("null", "undefined", "true", "false", "NaN", "Infinity", "2 ** 31", "-(2 ** 53)", "Symbol.iterator", "Symbol('s')"),
);
const regularExpression = text`/${oneOf("a", "(b|c)+", "[^a-c]*", "(?<n>\\d+)", "^.", "\\b", "(a)(?=b)", "(?<!x)y", "\\u{1f600}", "(.)\\1", "")}|${oneOf("x", "\\w+?", "[\\s\\S]", "a{2,4}", "(?:ab?)*c")}/${oneOf("", "g", "i", "gu", "y", "gs", "m", "d")}`;
const binary = oneOf("+", "-", "*", "/", "%", "&", "|", "^", ">>>", "<", ">=", "==", "===", "!=", "&&", "||", "??", "in", "instanceof");

const grammar = fc.letrec<{ outermost: string; statement: string; expression: string; callback: string; block: string }>((tie) => {
  const expression = tie("expression");
  const callback = tie("callback");
  const block = tie("block");
  const many = fc.array(expression, { maxLength: 4 }).map((list) => list.join(", "));
  return {
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      variable,
      literal,
      text`(${expression} ${binary} ${expression})`,
      text`(${oneOf("- ", "+ ", "~", "!", "typeof ", "void ")}(${expression}))`,
      text`[${many}]`,
      text`[...it(${expression}), ${expression}]`,
      text`({ ${oneOf("x", "y", "length", "[a]", "__proto__", "get z() { return 1; }, w")}: ${expression}, y: ${expression} })`,
      text`({ ...${expression}, q: ${expression} })`,
      text`${variable}?.[${expression}]`,
      text`(${expression}).${oneOf("length", "x", "y", "constructor.name", "size", "byteLength", "message", "lastIndex", "source")}`,
      text`(${expression} ? ${expression} : ${expression})`,
      text`\`<\${${expression}}|\${${expression}}>\``,
      text`String(${expression}).${oneOf("at", "charCodeAt", "repeat", "slice", "padEnd", "codePointAt", "substring")}(small(${expression}))`,
      text`String(${expression}).${oneOf("toUpperCase", "trim", "normalize", "toLowerCase", "toWellFormed", "trimEnd", "isWellFormed")}()`,
      text`String(${expression}).${oneOf("indexOf", "split", "concat", "includes", "lastIndexOf", "localeCompare", "endsWith")}(${expression})`,
      text`String(${expression}).${oneOf("replace", "replaceAll")}(${regularExpression}, ${fc.oneof(expression, callback)})`,
      text`String(${expression}).${oneOf("match", "search", "split")}(${regularExpression})`,
      text`[...String(${expression}).matchAll(${regularExpression.map((source) => (source.endsWith("g") ? source : `${source.slice(0, source.lastIndexOf("/") + 1)}g`))})].join()`,
      text`${regularExpression}.${oneOf("test", "exec")}(${expression})`,
      text`list(${expression}).${oneOf("map", "filter", "flatMap", "some", "every", "findLast", "findIndex", "toSorted", "forEach")}(${callback})`,
      text`list(${expression}).${oneOf("reduce", "reduceRight")}(${callback}, ${expression})`,
      text`list(${expression}).${oneOf("toSorted", "sort")}((x, y) => small(x) - small(y))`,
      text`list(${expression}).${oneOf("concat", "push", "unshift", "includes", "indexOf", "join", "fill")}(${expression})`,
      text`list(${expression}).${oneOf("slice", "splice", "at", "flat", "copyWithin", "toSpliced", "with")}(small(${expression}), ${expression})`,
      text`list(${expression}).${oneOf("reverse", "pop", "shift", "keys", "toReversed", "toString", "sort")}()`,
      text`new ${oneOf("Uint8Array", "Int16Array", "Float32Array", "Float64Array", "Uint8ClampedArray", "BigInt64Array")}(list(${expression}))`,
      text`new Uint8Array(list(${expression})).${oneOf("map", "filter", "subarray", "set", "slice", "toReversed", "indexOf", "sort", "fill", "copyWithin")}(${fc.oneof(callback, expression)})`,
      text`new DataView(new ArrayBuffer(16)).${oneOf("getInt8", "getFloat64", "setInt16", "setFloat32", "setBigInt64", "getBigUint64")}(small(${expression}) % 9, ${expression})`,
      text`(BigInt(small(${expression})) ${oneOf("+", "-", "*", "/", "%", "**", "<<", ">>", "&", "^")} BigInt(Math.abs(small(${expression}))))`,
      text`BigInt.${oneOf("asIntN", "asUintN")}(Math.abs(small(${expression})), BigInt(small(${expression})))`,
      text`Math.${oneOf("floor", "max", "hypot", "fround", "imul", "clz32", "atan2", "pow", "round", "trunc", "cbrt")}(${expression}, ${expression})`,
      text`(+(${expression})).${oneOf("toFixed", "toString", "toPrecision", "toExponential")}(Math.abs(small(${expression})) % 30 + 2)`,
      text`JSON.parse(JSON.stringify(${expression}, ${fc.oneof(oneOf("null"), callback)}, small(${expression})) ?? "null")`,
      text`JSON.parse(String(${expression}))`,
      text`new ${oneOf("Map", "Set")}(list(${expression}).map((x, i) => [x, i]))`,
      text`new Map([[${expression}, ${expression}], [1, 2]]).${oneOf("get", "has", "delete", "forEach")}(${fc.oneof(expression, callback)})`,
      text`new Set(list(${expression})).${oneOf("has", "add", "delete", "forEach")}(${fc.oneof(expression, callback)})`,
      text`new Date(small(${expression}) * 1e9).${oneOf("toISOString", "getDay", "toJSON", "getTimezoneOffset", "toString", "setUTCMonth", "getUTCHours")}(${expression})`,
      text`Date.${oneOf("parse", "UTC", "now")}(${expression})`,
      text`Object.${oneOf("keys", "entries", "getOwnPropertyNames", "freeze", "values", "fromEntries", "getPrototypeOf", "isFrozen", "assign")}(${expression})`,
      text`Reflect.${oneOf("ownKeys", "has", "get", "getOwnPropertyDescriptor", "deleteProperty", "set")}(Object(${expression}), ${expression}, ${expression})`,
      text`new Proxy(Object(${expression}), { ${oneOf("get", "has", "ownKeys", "getOwnPropertyDescriptor", "deleteProperty")}(...args) { log(args.length); return Reflect.get(...args); } })`,
      text`Object.groupBy(list(${expression}), ${callback})`,
      text`[...(function* () { yield ${expression}; yield* it(${expression}); return ${expression}; })()]`,
      text`new (class ${oneOf("", "extends Array", "extends Map", "extends Error")} { #p = 1; static s = 2; args = [${many}]; get v() { return this.#p; } toString() { return "mine" + this.#p; } })()`,
      text`(${callback})(${many})`,
      text`(${callback}).call(${expression}, ${many})`,
      text`Promise.${oneOf("all", "allSettled", "race", "any")}(list(${expression}))`,
      text`structuredClone(${expression})`,
      text`(${variable} = cap(${expression}))`,
      text`(${variable} ${oneOf("+=", "-=", "??=", "||=", "*=", "&&=")} ${expression})`,
      text`${oneOf("++", "--")}${variable}`,
      text`(delete ${variable}?.[${expression}])`,
      text`new ${oneOf("Error", "TypeError", "RangeError", "AggregateError")}(${expression}, { cause: ${expression} })`,
      text`eval(${fc.oneof(
        expression,
        quoted.map((value) => JSON.stringify(value)),
      )})`,
      text`new TextDecoder().decode(new TextEncoder().encode(${expression}))`,
    ),
    callback: fc.oneof(
      { maxDepth: 3 },
      text`(x, y) => ${expression}`,
      text`(x, y) => (x < y ? -1 : 1)`,
      text`function (x, y) { log(typeof this); return ${expression}; }`,
      text`(x, ...y) => { ${block} return x; }`,
      text`({ x = ${expression}, ...y } = {}) => [x, y]`,
      oneOf("String", "Number", "(x) => x", "(x, y) => x + y", "() => { throw new Error('from a callback'); }", "Boolean", "parseInt"),
    ),
    statement: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      text`${variable} = cap(${expression});`,
      text`log(${expression});`,
      text`(${expression});`,
      text`if (${expression}) { ${block} } else { ${block} }`,
      text`for (let i = 0; i < ${fc.integer({ min: 1, max: 12 }).map(String)}; i++) { ${block} }`,
      text`for (const x of it(${expression})) { log(x); ${block} }`,
      text`for (const k in ${expression}) { log(k); if (k > 3) break; }`,
      text`try { ${block} } finally { ${block} }`,
      text`{ outer: for (let i = 0; i < 4; i++) { for (;;) { if (i > 1) continue outer; log(${expression}); break; } } }`,
      text`switch (${expression}) { case ${expression}: ${block} default: log("default"); case 1: ${block} }`,
      text`const [p, , ...q] = it(${expression}); log(p, q);`,
      text`const { length, ...rest } = Object(${expression}); log(length, rest);`,
      text`${variable}[${expression}] = ${expression};`,
      text`throw (${expression});`,
    ),
    // Not in callbacks, which are not async functions.
    outermost: fc.oneof(
      { weight: 5, arbitrary: tie("statement") },
      { weight: 1, arbitrary: text`log(await ${expression});` },
      { weight: 1, arbitrary: text`for await (const x of it(${expression})) { log(x); ${block} }` },
      {
        weight: 1,
        arbitrary: text`log(await Promise.resolve(${expression}).then(${callback}, ${callback}).finally(() => log("finally")));`,
      },
      { weight: 1, arbitrary: text`log(await (async function* () { yield ${expression}; ${block} })().next());` },
    ),
    block: fc.array(tie("statement"), { maxLength: 3 }).map((statements) => statements.map(guarded).join(" ")),
  };
});

function guarded(statement: string): string {
  return `try { ${statement} } catch (thrown) { log("caught", thrown); }`;
}

/** Body of an async function that is given `log`, `cap`, `list`, `small` and `it`. */
export const guestProgram: fc.Arbitrary<string> = fc
  .tuple(fc.tuple(...VARIABLES.map(() => literal)), fc.array(grammar.outermost, { minLength: 2, maxLength: 8 }))
  .map(([values, statements]) => {
    const declared = VARIABLES.map((name, index) => `${name} = ${values[index] ?? "0"}`).join(", ");
    return [`let ${declared};`, ...statements.map(guarded), "log(a, b, c, d, e, f);"].join("\n");
  });

/** The plugin that runs programs: `run({ program })` returns the log. */
export const PROGRAM_RUNNER = `
const MOST_LINES = 400;
function cap(value) {
  if (typeof value === "string") return value.slice(0, 200);
  if (typeof value === "bigint") return BigInt.asIntN(256, value);
  if (Array.isArray(value)) return value.slice(0, 24);
  return value;
}
function small(value) {
  const number = Math.trunc(Number(typeof value === "symbol" ? 1 : value));
  return number > -1000 && number < 1000 ? number % 40 : 3;
}
function* it(value) {
  let left = 24;
  if (value === null || value === undefined || typeof value[Symbol.iterator] !== "function") yield value;
  else for (const item of value) { if (left-- <= 0) return; yield item; }
}
function list(value) { return cap([...it(value)]); }
function show(value, depth = 0) {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 300));
  if (typeof value === "function") return "function " + value.name;
  if (typeof value !== "object" || value === null) return String(value) + (Object.is(value, -0) ? " negative" : "");
  if (depth > 3) return "deep";
  if (value instanceof Error) return value.name + ": " + value.message + " " + show(value.stack ?? "", depth + 1);
  if (value instanceof Date) return "date " + Number(value);
  const items = Array.isArray(value) || ArrayBuffer.isView(value) || value instanceof Map || value instanceof Set ? [...it(value)] : [];
  const names = Reflect.ownKeys(value).slice(0, 12);
  return Object.prototype.toString.call(value) + "[" + items.map((item) => show(item, depth + 1)) + "]{" + names.map((name) => {
    const property = Reflect.getOwnPropertyDescriptor(value, name);
    return String(name) + ":" + (property === undefined ? "none" : "value" in property ? show(property.value, depth + 1) : "accessor");
  }) + "}";
}
export async function run({ program }) {
  const lines = [];
  const log = (...values) => {
    if (lines.length >= MOST_LINES) return;
    try { lines.push(values.map((value) => show(value)).join(" ").slice(0, 2000)); } catch (thrown) { lines.push("cannot show"); }
  };
  try {
    await new Function("log", "cap", "list", "small", "it", "return (async () => {" + program + "})();")(log, cap, list, small, it);
  } catch (thrown) { log("thrown", thrown); }
  return lines;
}
`;
