/**
 * Random programs about loops that must behave the same in the sandbox and in V8: `for…of`, `for await` and `using` of every kind, in
 * generators and async functions, with labels, jumps, destructuring that yields and awaits, and failing iterators.
 *
 * A program is made from a list of choices, so that fast-check can shrink it.
 */

import fc from "fast-check";

type Kind = "function" | "function*" | "async function" | "async function*";

const KINDS: readonly Kind[] = ["async function*", "async function", "function*", "function"];
const DEEPEST = 4;

/** Declarations and `run()`, which returns the log: the body of an async function, or most of a module. */
export const loopProgram: fc.Arbitrary<string> = fc
  .array(fc.nat({ max: 999 }), { minLength: 8, maxLength: 160, size: "max" })
  .map((choices) => createWriter(choices).program());

interface Scope {
  readonly kind: Kind;
  readonly depth: number;
  /** Labels of the enclosing loops. */
  readonly loops: readonly string[];
}

function createWriter(choices: readonly number[]): { program(): string } {
  let at = 0;
  let names = 0;
  /** False if an array pattern of an asynchronous generator yields: `return()` cannot end the engine's generator there. */
  let mayReturn = true;
  const below = (limit: number): number => (choices[at++] ?? 0) % limit;
  const oneOf = <T>(...options: readonly [T, ...T[]]): T => options[below(options.length)] ?? options[0];
  const fresh = (): string => `v${String(names++)}`;
  const isAsync = ({ kind }: Scope): boolean => kind.startsWith("async");
  const isGenerator = ({ kind }: Scope): boolean => kind.endsWith("*");

  function value(scope: Scope): string {
    const number = String(below(9));
    switch (below(scope.depth > 1 ? 5 : 8)) {
      case 1:
        return isGenerator(scope) ? `(yield ${number})` : `seen(${number})`;
      case 2:
        return isAsync(scope) ? `(await later(${number}))` : `seen(${number})`;
      case 3:
        return isGenerator(scope) ? `(yield* ${iterable(scope, isAsync(scope))})` : `(seen(${number}), ${number})`;
      case 4:
        return `seen(${number})`;
      case 5:
        return isAsync(scope) ? `(await fails(${number}))` : `thrower(${number})`;
      default:
        return number;
    }
  }

  /**
   * Returns the text of a synchronous iterable.
   *
   * @param isAwaited then `next()` does not throw, because V8 calls `return()` afterwards, contrary to the standard
   */
  function iterable(scope: Scope, isAwaited: boolean): string {
    const failing = isAwaited ? "failValue: 1" : "failNext: 1";
    const flags = `{ ${oneOf("", "", "", "", "noReturn: 1", "badReturn: 1", "failReturn: 1", "nullReturn: 1", failing)} }`;
    switch (below(7)) {
      case 1:
        return `("ignored", [${value(deeper(scope))}, 2])`;
      case 2:
        return `[[1], [2, 3], ${value(deeper(scope))}]`;
      case 3:
        return "\n[{ a: 1 }, {},\n { a: 2, b: 3 }]";
      case 4:
        return `numbers(${String(below(4))})`;
      case 5:
        return `(${value(deeper(scope))}, source("s", 2, ${flags}))`;
      default:
        return `source("${fresh()}", ${String(below(4))}, ${flags})`;
    }
  }

  /** Returns the text of an iterable for `for await`. */
  function asyncIterable(scope: Scope): string {
    const flags = `{ ${oneOf("", "", "", "", "noReturn: 1", "badReturn: 1", "failReturn: 1", "failNext: 1", "throwNext: 1", "nullReturn: 1", "throwReturn: 1")} }`;
    switch (below(6)) {
      case 1:
        return iterable(scope, true);
      case 2:
        return `[later(1), ${oneOf("2", "fails(2)", "later(2)")}, 3]`;
      case 3:
        return `slowly(${String(below(3))})`;
      case 4:
        return `(${value(deeper(scope))}, stream("t", 2, ${flags}))`;
      default:
        return `stream("${fresh()}", ${String(below(4))}, ${flags})`;
    }
  }

  function deeper(scope: Scope): Scope {
    return { ...scope, depth: scope.depth + 1 };
  }

  /** Returns the text before `of`, and an expression for the bound values. */
  function target(scope: Scope): { readonly head: string; readonly shown: string } {
    const made = drawTarget(scope);
    if (scope.kind === "async function*" && made.head.includes("[") && made.head.includes("yield")) mayReturn = false;
    return made;
  }

  function drawTarget(scope: Scope): { readonly head: string; readonly shown: string } {
    const [a, b] = [fresh(), fresh()];
    const keyword = oneOf("const", "let", "var");
    switch (below(9)) {
      case 1:
        return { head: `${keyword} [${a}, ${b} = ${value(scope)}]`, shown: `${a}, ${b}` };
      case 2:
        return { head: `${keyword} { a: ${a} = ${value(scope)}, ...${b} }`, shown: `${a}, ${b}` };
      case 3:
        return { head: `o[${value(scope)}]`, shown: "o[1]" };
      case 4:
        return { head: `[o.x, o[${value(scope)}] = ${value(scope)}]`, shown: "o.x" };
      case 5:
        return { head: `{ a: o.y = ${value(scope)} }`, shown: "o.y" };
      case 6:
        return { head: `${keyword}\n[${a}, /* for ) of */\n [${b}] = [${value(scope)}]]`, shown: `${a}, ${b}` };
      case 7:
        return { head: `${keyword} { length: ${a} = ${value(scope)} }`, shown: a };
      default:
        return { head: `${keyword} ${a}`, shown: a };
    }
  }

  function loop(scope: Scope): string {
    const label = `L${String(names++)}`;
    const inside = { ...scope, depth: scope.depth + 1, loops: [...scope.loops, label] };
    const body = (shown: string): string =>
      oneOf(`{ log(${shown}); ${block(inside)} }`, `{ log(${shown}); ${block(inside)} }`, `log(${shown});`);
    const prefix = `${oneOf("", "", `${label}b: `)}${label}: `;
    const { head, shown } = target(scope);
    const choice = below(8);
    if (choice === 1) return `${prefix}for (let i = 0; i < ${String(below(3) + 1)}; i++) ${body("i")}`;
    if (choice === 2) return `${prefix}for (const k in { p: ${value(scope)}, q: 2 }) ${body("k")}`;
    if (choice === 3)
      return `${prefix}for (${isAsync(scope) && below(2) === 1 ? "await " : ""}using u of [resource("u"), null]) ${body("1")}`;
    if (choice === 4) return `${prefix}for (using u = resource("h"), w = ${oneOf("null", 'resource("w")', "5")}; turn();) ${body("2")}`;
    if (choice > 4 && isAsync(scope)) return `${prefix}for await (${head} of ${asyncIterable(scope)}) ${body(shown)}`;
    return `${prefix}for (${head} of ${iterable(scope, false)}) ${body(shown)}`;
  }

  function jump(scope: Scope): string {
    const [inner] = scope.loops;
    if (inner === undefined) return `return ${value(scope)};`;
    const labels = [inner, ...scope.loops] as const;
    switch (below(6)) {
      case 1:
        return "break;";
      case 2:
        return "continue;";
      case 3:
        return `break ${oneOf(...labels)};`;
      case 4:
        return `continue ${oneOf(...labels)};`;
      case 5:
        return `throw new Error("t${String(below(9))}");`;
      default:
        return `return ${value(scope)};`;
    }
  }

  function statement(scope: Scope): string {
    if (scope.depth > DEEPEST) return `log(${value(scope)});`;
    const within = deeper(scope);
    switch (below(12)) {
      case 1:
      case 2:
      case 3:
      case 4:
        return loop(scope);
      case 5:
        return `if (turn()) ${jump(scope)}`;
      case 6:
        return `try { ${block(within)} } catch (e) { log("caught", e); }`;
      case 7:
        return `try { ${block(within)} } finally { log("finally", ${value(scope)}); }`;
      case 8:
        return `{ ${isAsync(scope) && below(2) === 1 ? "await " : ""}using ${fresh()} = (0, resource("r${String(names)}", ${String(below(3))})); ${block(within)} }`;
      case 9:
        return `switch (${value(scope)}) { case 1: ${block({ ...within, loops: [] })} default: ${block({ ...within, loops: [] })} }`;
      case 10:
        return `if (turn()) ${loop(scope)} else ${loop(scope)}`;
      default:
        return `log(${value(scope)});`;
    }
  }

  function block(scope: Scope): string {
    return Array.from({ length: below(3) + 1 }, () => statement(scope)).join("\n");
  }

  return {
    program() {
      const tools = Array.from({ length: below(3) + 1 }, (_, index) => {
        const kind = oneOf<Kind>(...(KINDS as readonly [Kind, ...Kind[]]));
        mayReturn = true;
        const body = block({ kind, depth: 0, loops: [] });
        const steps = Array.from({ length: 12 }, () => oneOf("next", "next", "next", "next", "throw", mayReturn ? "return" : "next"));
        return `${kind} f${String(index)}() { ${body} }\nawait drive("f${String(index)}", f${String(index)}, ${JSON.stringify(steps)});`;
      });
      return `${HELPERS}\n${tools.join("\n")}\nreturn lines;`;
    },
  };
}

/** Helpers of the programs. They end loops that run too long. */
const HELPERS = `const lines = [], o = {};
const show = (v) => v instanceof Error ? v.name + ":" + (/^[a-z]+\\d+$/.test(v.message) ? v.message : "") + (v.error ? show(v.error) + "/" + show(v.suppressed) : "") : typeof v === "object" && v !== null ? JSON.stringify(v) : String(v);
let left = 300;
const log = (...values) => { if (--left < 0) throw new Error("end0"); lines.push(values.map(show).join(" ")); };
let turns = 0;
const turn = () => { if (--left < 0) throw new Error("end0"); return ++turns % 3 !== 0; };
const seen = (v) => (log("seen", v), v);
const thrower = (n) => { throw new Error("x" + n); };
const later = (v) => Promise.resolve(v);
const fails = (n) => { const p = Promise.reject(new Error("f" + n)); p.catch(() => {}); return p; };
function* numbers(n) { try { for (let i = 0; i < n; i++) yield i; } finally { log("numbers"); } }
async function* slowly(n) { try { for (let i = 0; i < n; i++) yield [i]; } finally { await null; log("slowly"); } }
function source(name, n, flags) {
  let i = 0;
  const it = {
    [Symbol.iterator]() { log(name, "opens"); return this; },
    next(...args) {
      log(name, "next", args.length);
      if (flags.failNext && i === 1) throw new Error("n1");
      const value = flags.failValue && i === 1 ? fails(3) : i % 2 ? [i, , 2] : { a: i };
      return i++ < n ? { done: false, value } : { done: true, value: "end" };
    },
    get return() {
      log(name, "return?");
      if (flags.noReturn) return undefined;
      if (flags.nullReturn) return null;
      return function (...args) { log(name, "return", args.length); if (flags.failReturn) throw new Error("r1"); return flags.badReturn ? 1 : {}; };
    },
  };
  return it;
}
function stream(name, n, flags) {
  let i = 0;
  return {
    [Symbol.asyncIterator]() { log(name, "opens"); return this; },
    next(...args) {
      log(name, "next", args.length);
      if (flags.throwNext && i === 1) throw new Error("n2");
      if (flags.failNext && i === 1) return fails(4);
      return Promise.resolve(i++ < n ? { done: false, value: i % 2 ? [i] : { a: i } } : { done: true });
    },
    get return() {
      log(name, "return?");
      if (flags.noReturn) return undefined;
      if (flags.nullReturn) return null;
      return async function (...args) { log(name, "return", args.length); await null; log(name, "closed"); if (flags.failReturn) throw new Error("r2"); if (flags.throwReturn) throw undefined; return flags.badReturn ? 1 : {}; };
    },
  };
}
const resource = (name, fails = 0) => ({
  [Symbol.dispose]() { log("dispose", name); if (fails === 1) throw new Error("d1"); },
  ...(fails === 2 && { async [Symbol.asyncDispose]() { log("later", name); await null; log("gone", name); throw new Error("d2"); } }),
});
async function drive(name, f, steps) {
  const note = (...values) => { lines.push(values.map(show).join(" ")); };
  note("run", name);
  try {
    const made = await f();
    if (typeof made?.next !== "function") return note("returned", made);
    for (const step of steps) {
      const { done, value } = await made[step](step === "throw" ? new Error("s1") : 7);
      note(step, !!done, value);
      if (done) break;
    }
  } catch (error) { note("threw", error); }
}`;
