/**
 * Kinds of guest code that do not end by themselves, as bodies of a tool's function. `bench/runaway.ts` measures how soon some of them
 * end.
 *
 * `NATIVE` contains code that QuickJS's own interrupt does not end: loops in the engine's C functions, which never poll, and polled code
 * that continues after an interrupt. `SCRIPT` contains loops that poll, which the published engine ends too.
 */

export const NATIVE: Readonly<Record<string, string>> = {
  // Arrays, by their length alone.
  sparseIndexOf: "const a = []; a.length = 4e9; a.indexOf(1);",
  sparseLastIndexOf: "const a = []; a.length = 4e9; a.lastIndexOf(1);",
  sparseIncludes: "const a = []; a.length = 4e9; a.includes(1);",
  sparseReverse: "const a = []; a.length = 4e9; a[0] = 1; a.reverse();",
  sparseSort: "const a = []; a.length = 4e9; a.sort();",
  sparseJoin: "const a = []; a.length = 4e9; a.join('');",
  sparseText: "for (;;) new Array(1e7) + '';",
  sparseForEach: "const a = []; a.length = 4e9; a.forEach(() => {});",
  sparseFlat: "const a = []; a.length = 4e9; [a, a].flat(2);",
  sparseCopyWithin: "const a = []; a.length = 4e9; a.copyWithin(0, 1);",
  sparseSplice: "const a = []; a.length = 4e9; a.splice(0, 1);",
  sparseShift: "const a = []; a.length = 4e9; a.shift();",
  sparseUnshift: "const a = []; a.length = 4e9; a.unshift(1, 2);",
  sparseConcat: "const a = []; a.length = 2e9; a.concat(a);",
  sparseReduceRight: "const a = []; a.length = 4e9; a.reduceRight(() => 0, 0);",
  arrayLikeIndexOf: "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);",
  arrayLikeCopyWithin: "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1);",
  arrayLikeJoin: "Array.prototype.join.call({ length: 4e9 }, '');",
  proxyIncludes: "Array.prototype.includes.call(new Proxy({ length: 2 ** 53 - 1 }, {}), 1);",
  denseConcat: "const a = new Array(1e5).fill(1); for (;;) a.concat(a, a, a);",
  denseSplice: "const a = new Array(2e5).fill(1); for (;;) { a.splice(0, 1); a.push(1); }",
  sortStrings: `const a = Array.from({ length: 2e4 }, (_, i) => "x".repeat(500) + i); for (;;) [...a].sort();`,
  flatShared: "let v = [0]; for (let i = 0; i < 14; i++) v = [v, v]; for (;;) v.flat(Infinity);",
  ownKeys: "const a = new Array(1e6).fill(1); for (;;) Object.keys(a).length = 0;",
  spreadSparse:
    "const a = []; a.length = 4e9; const f = () => {}; for (;;) { try { f(...a); } catch {} [].indexOf.call({ length: 1e9 }, 1); }",

  // Typed arrays and bulk memory.
  typedFill: "const a = new Uint8Array(1 << 24); for (;;) a.fill(1);",
  typedFillWide: "const a = new Float64Array(1 << 21); for (;;) a.fill(1.5);",
  typedCopyWithin: "const a = new Uint8Array(1 << 24); for (;;) a.copyWithin(1, 0);",
  typedSet: "const a = new Uint8Array(1 << 23), b = new Uint8Array(1 << 23); for (;;) a.set(b);",
  typedSetConverting: "const a = new Float32Array(1 << 20), b = new Int16Array(1 << 20); for (;;) a.set(b);",
  typedSlice: "const a = new Uint8Array(1 << 23); for (;;) a.slice();",
  bufferSlice: "const a = new ArrayBuffer(1 << 23); for (;;) a.slice(1);",
  typedIndexOf: "const a = new Uint8Array(1 << 24); for (;;) a.indexOf(1);",
  typedReverse: "const a = new Uint16Array(1 << 23); for (;;) a.reverse();",
  typedJoin: "const a = new Uint8Array(1 << 20); for (;;) a.join();",

  // Text.
  textIndexOf: `const hay = "a".repeat(1 << 22), needle = "a".repeat(1 << 12) + "b"; for (;;) hay.indexOf(needle);`,
  textLastIndexOf: `const hay = "a".repeat(1 << 22), needle = "b" + "a".repeat(1 << 12); for (;;) hay.lastIndexOf(needle);`,
  textIncludesSplit: `const hay = "a".repeat(1 << 20); for (;;) hay.split("");`,
  textRepeat: `for (;;) "abc".repeat(1 << 22);`,
  textPad: `for (;;) "".padEnd(1 << 22, "xyz");`,
  textConcat: `const a = "x".repeat(1 << 22); for (;;) (a + "y").charCodeAt(0);`,
  textReplaceAll: `const s = "a".repeat(1 << 20); for (;;) s.replaceAll("a", "b");`,
  textCase: `const s = "\\u0130".repeat(1 << 20); for (;;) s.toLowerCase();`,
  textNormalize: `const s = "\\u0344".repeat(1 << 18); for (;;) s.normalize("NFD");`,
  textTrim: `const s = " ".repeat(1 << 22) + "x" + " ".repeat(1 << 22); for (;;) s.trim();`,
  textWellFormed: `const s = "\\ud800".repeat(1 << 20); for (;;) s.toWellFormed();`,
  encodeUri: `const s = "\\u20ac".repeat(1 << 18); for (;;) encodeURIComponent(s);`,
  escapeText: `const s = "\\u20ac".repeat(1 << 18); for (;;) escape(s);`,
  manyNumbers: "const a = new Float64Array(1 << 18).fill(Math.PI * 1e200); for (;;) a.join();",

  // Compiling regular expressions. Running them polls.
  regexpCompile: `const s = "(?:a|b)".repeat(5_000); for (;;) new RegExp(s);`,

  // BigInt.
  bigintPower: "for (;;) 7n ** 200000n;",
  bigintText: "const n = 3n ** 300000n; for (;;) n.toString();",
  bigintMultiply: "const n = 3n ** 300000n; for (;;) n * n;",
  bigintDivide: "const n = 3n ** 600000n, m = 7n ** 100000n; for (;;) n / m;",
  bigintParse: `const s = "9".repeat(1 << 18); for (;;) BigInt(s);`,
  bigintShift: "const n = 1n << 900000n; for (;;) n >> 1n;",

  // JSON, clones, parsing.
  jsonShared: "let v = Array(50).fill(0); for (let i = 0; i < 3; i++) v = Array(50).fill(v); for (;;) JSON.stringify(v);",
  jsonOutput: "let v = Array(50).fill(0); for (let i = 0; i < 5; i++) v = Array(50).fill(v); return v;",
  jsonParse: `const t = "[" + "1,".repeat(1 << 19) + "1]"; for (;;) JSON.parse(t);`,
  jsonIndent: `const a = new Array(1 << 16).fill({ a: 1 }); for (;;) JSON.stringify(a, null, 10);`,
  jsonSortedNames: `const o = {}; for (let i = 0; i < 20000; i++) o["k" + i] = i; for (;;) JSON.stringify(o);`,
  evalParens: `for (;;) { try { eval("(".repeat(300)); } catch {} }`,
  evalLarge: `const s = "1+".repeat(1 << 18) + "1"; for (;;) eval(s);`,
  functionLarge: `const s = ";".repeat(1 << 20); for (;;) new Function(s);`,

  // Collections.
  fromEntries: "const a = Array.from({ length: 1e5 }, (_, i) => ['k' + i, i]); for (;;) Object.fromEntries(a);",

  // Code that swallows the interrupt and continues.
  swallowedExecutor: "for (;;) new Promise(() => { for (;;); });",
  swallowedExecutorCatch: "for (;;) { try { new Promise(() => { for (;;); }); } catch {} }",
  swallowedAsync: "for (;;) (async () => { for (;;); })();",
  swallowedAsyncGenerator: "for (;;) (async function* () { for (;;); })().next();",
  swallowedThen: "for (;;) Promise.resolve({ get then() { for (;;); } });",
  swallowedAll: "for (;;) Promise.all({ [Symbol.iterator]() { for (;;); } });",
  swallowedNative: "for (;;) { try { new Promise(() => { const a = []; a.length = 4e9; a.indexOf(1); }); } catch {} }",
  swallowedAsyncNative: "for (;;) (async () => { const a = []; a.length = 4e9; a.indexOf(1); })();",
};

export const SCRIPT: Readonly<Record<string, string>> = {
  // The host's collation. The clock is checked after each comparison.
  textLocaleCompare: `const s = "\\u0344".repeat(1 << 16); for (;;) s.localeCompare(s + "x");`,
  // Native code that polls.
  denseSort: "const a = Array.from({ length: 2e5 }, (_, i) => (i * 7919) % 200003); for (;;) a.toSorted();",
  sortDates: "const a = Array.from({ length: 1e5 }, (_, i) => new Date(i * 1e7)); for (;;) [...a].sort();",
  joinDates: "const a = Array.from({ length: 1e6 }, () => new Date(1e12)); a.join();",
  arrayFromArrayLike: "Array.from({ length: 4e9 }, () => {});",
  typedSort: "const a = new Uint32Array(1 << 20).map((_, i) => (i * 2654435761) >>> 0); for (;;) a.toSorted();",
  numberText: "for (;;) [1e300, 1.1e-300, 5e-324, 123456789.123].map((n) => n.toString(2) + n.toFixed(90)).join();",
  regexpBacktracking: `/^(a+)+$/.test("a".repeat(40) + "b");`,
  regexpNested: `/(x+x+)+y/.test("x".repeat(60));`,
  regexpBackReference: `/^(a*)*\\1b/.test("a".repeat(50));`,
  regexpLookahead: `/(?=(a+)+$)b/.test("a".repeat(40) + "c");`,
  regexpQuadratic: `/a.*b.*c.*d.*e$/s.test("abcd".repeat(1 << 14));`,
  regexpReplace: `const s = "a".repeat(1 << 20); for (;;) s.replace(/a/g, "b");`,
  regexpSplit: `const s = "a,".repeat(1 << 19); for (;;) s.split(/,/);`,
  cloneObjects: "const a = Array.from({ length: 1e5 }, (_, i) => ({ i })); for (;;) structuredClone(a);",
  mapCopy: "const m = new Map(Array.from({ length: 1e5 }, (_, i) => [i, i])); for (;;) new Map(m);",
  setClear: "for (;;) { const s = new Set(Array.from({ length: 1e5 }, (_, i) => i)); s.clear(); }",
  mapClear: "for (;;) { const m = new Map(Array.from({ length: 1e5 }, (_, i) => [i, i])); m.clear(); }",
  groupBy: "const a = new Array(1e5).fill(1); for (;;) Object.groupBy(a, String);",

  // Plain loops and recursion.
  forEver: "for (;;);",
  doWhile: "do {} while (true);",
  label: "outer: for (;;) { inner: for (;;) { continue outer; } }",
  labelBlock: "again: for (;;) { try { continue again; } finally { continue again; } }",
  functionCalls: "const f = () => 1; for (;;) f();",
  closures: "for (;;) [1, 2, 3].map((x) => x + 1);",
  tryCatch: "for (;;) { try { throw 1; } catch {} }",
  tryFinally: "function f() { try { for (;;); } finally { for (;;); } } f();",
  finallyReturn: "const f = () => { for (;;) { try { return 1; } finally { continue; } } }; f();",
  generator: "function* g() { for (;;) yield 1; } for (const _ of g());",
  generatorReturn: "function* g() { try { yield 1; } finally { for (;;); } } for (const _ of g()) break;",
  iteratorReturn:
    "const it = { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { for (;;); } }) }; for (const _ of it) break;",
  asyncGenerator: "return (async () => { async function* g() { for (;;) yield 1; } for await (const _ of g()); })();",
  getter: "const o = { get a() { for (;;); } }; o.a;",
  setter: "const o = { set a(v) { for (;;); } }; o.a = 1;",
  proxyGet: "const p = new Proxy({}, { get() { for (;;); } }); p.x;",
  proxyHas: "const p = new Proxy({}, { has() { for (;;); } }); 'x' in p;",
  proxyOwnKeys: "const p = new Proxy({}, { ownKeys() { for (;;); } }); Object.keys(p);",
  toJson: "return { toJSON() { for (;;); } };",
  toPrimitive: "`${{ [Symbol.toPrimitive]() { for (;;); } }}`;",
  valueOf: "+{ valueOf() { for (;;); } };",
  hasInstance: "1 instanceof { [Symbol.hasInstance]() { for (;;); } };",
  destructuring: "for (;;) { const { a = 1, ...b } = { b: 2 }; const [c, ...d] = [1, 2, 3]; }",
  spreadEndless: "Math.max(...{ [Symbol.iterator]: () => ({ next: () => ({ done: false, value: 1 }) }) });",
  arrayFromEndless: "Array.from({ [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }, () => 0);",
  taggedTemplate: "const t = (s) => s.raw[0]; for (;;) t`x${1}y`;",
  sortHostile: "Array.from({ length: 1000 }, (_, i) => i).sort(() => { for (;;); });",
  sortRandom: "for (;;) [3, 1, 2, 5, 4].sort(() => Math.random() - 0.5);",
  replaceCallback: `"a".replace(/a/, () => { for (;;); });`,
  jsonReviver: `JSON.parse("[1]", () => { for (;;); });`,
  recursionCatch: "const f = () => { try { f(); } catch { f(); } }; f();",
  recursionForEver: "const f = () => { try { return f(); } catch { return 0; } }; for (;;) f();",
  evalLoop: `for (;;) eval("1 + 1");`,
  evalInside: `eval("for (;;);");`,
  functionLoop: `for (;;) new Function("return 1")();`,
  functionInside: `new Function("for (;;);")();`,
  weakRef: "for (;;) new WeakRef({}).deref();",
  finalizers: "const r = new FinalizationRegistry(() => {}); for (;;) r.register({}, 1);",
  symbols: "for (;;) Symbol('x').toString();",
  dates: "for (;;) new Date(2020, 1, 1).toString();",
  errors: "for (;;) new Error('x').stack;",
  regexpLoop: `for (;;) /a/.exec("a");`,
  encode: "const e = new TextEncoder(); for (;;) e.encode('x'.repeat(10000));",
  random: "for (;;) crypto.getRandomValues(new Uint8Array(65536));",
  randomUuid: "for (;;) crypto.randomUUID();",
  urls: "for (;;) new URL('https://example.com/a?b#c').href;",
  executor: "new Promise(() => { for (;;); });",
  awaitLoop: "return (async () => { for (;;) await 0; })();",
  asyncSwallow: "return (async () => { for (;;) { try { await (async () => { for (;;); })(); } catch {} } })();",
  microtasks: "const f = () => Promise.resolve().then(f); f(); return new Promise(() => {});",
  microtaskFan: "const f = () => { Promise.resolve().then(f); }; for (let i = 0; i < 1000; i++) f(); return new Promise(() => {});",
  queuedMicrotasks: "const f = () => queueMicrotask(f); f(); return new Promise(() => {});",
  swallowedJobs: "const f = () => { Promise.resolve().then(f); for (;;); }; f();",
  thenable: "const t = { then(r) { r(t); } }; return Promise.resolve(t);",
  rejections: "const f = () => Promise.reject(1).catch(f); f(); return new Promise(() => {});",
  dynamicImport: "return (async () => { for (;;) await import('./main.ts'); })();",
  dynamicImportMissing: "return (async () => { for (;;) { try { await import('./missing.ts'); } catch {} } })();",
};

/** Calls that wait forever. Their wall limit ends them. */
export const WAITING: Readonly<Record<string, string>> = {
  timers: "const f = () => setTimeout(f, 1); f(); return new Promise(() => {});",
  intervals: "setInterval(() => {}, 1); return new Promise(() => {});",
  sleep: "return new Promise((resolve) => setTimeout(resolve, 1e6));",
  sleepAsync: "return (async () => { for (;;) await new Promise((resolve) => setTimeout(resolve, 1)); })();",
};

/** Calls that allocate as fast as they can. The machine decides which limit ends them first. */
export const GREEDY: Readonly<Record<string, string>> = {
  arrayFill: "Array.prototype.fill.call({ length: 2 ** 53 - 1, set 0(v) {} }, 0, 1);",
  arrayPush: "const a = []; for (;;) a.push(a.length);",
  textPieces: `const a = []; for (let s = "x".repeat(1 << 16); ; s += "y") a.push(s.toUpperCase());`,
  concatPieces: `let s = ""; for (let i = 0; ; i++) s += "piece " + i;`,
  mapGrowth: "const m = new Map(); for (let i = 0; ; i++) m.set(i, { i });",
  setOfText: "const s = new Set(); for (let i = 0; ; i++) s.add('k' + i);",
  closureChain: "let f = () => 0; for (;;) { const g = f; f = () => g; }",
  weakRefChain: "let r = {}; for (;;) r = { r: new WeakRef(r), kept: r };",
  objectShapes: "const o = {}; for (let i = 0; ; i++) o['p' + i] = i;",
  typedArrays: "const a = []; for (;;) a.push(new Uint8Array(1 << 20));",
  bigintSquare: "let n = 3n; for (;;) n = n * n;",
  promiseFlood: "const f = () => { Promise.resolve().then(f); Promise.resolve().then(f); }; f(); return new Promise(() => {});",
  timerFlood: "for (;;) setTimeout(() => {}, 1e6);",
  flatMapGrowth: "let a = [1]; for (;;) a = a.flatMap((x) => [x, x]);",
  arrayFromLength: "Array.from({ length: 4e9 });",
  newArrayFill: "new Array(4e9 >>> 0).fill(0);",
  nestedArrays: "let a = []; for (;;) a = [a, [a.length]];",
};

/** Returns a plugin that exports these kinds, and a canary that detects remains of an earlier call. */
export function runawayPlugin(kinds: Readonly<Record<string, string>> = { ...NATIVE, ...SCRIPT, ...WAITING, ...GREEDY }): string {
  return [...Object.entries(kinds).map(([name, body]) => `export function ${name}() { ${body} }`), CANARY].join("\n");
}

const CANARY = "let calls = 0; export function canary() { return ++calls; }";
