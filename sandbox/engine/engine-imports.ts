/**
 * Imports of the engine's module from its Emscripten glue, without those that a guest must not have.
 *
 * A guest that controls its memory may call any import with any values (decision 13). Most imports only use their arguments and guest
 * memory. The others are for programs that own their process: timers, which would fire when the instance has another guest; output, which
 * would accumulate; exiting the process. These are replaced with functions that do nothing.
 *
 * The names are minified. They belong to the pinned package, and any difference throws.
 */

/** For each import name, a piece of its source in the glue that identifies it. */
const LANDMARKS: Readonly<Record<string, string>> = {
  a: "",
  b: "Assertion failed",
  c: ".push(",
  d: "52",
  e: "Infinity",
  f: ".length",
  g: "normalizeModule",
  h: "loadModuleSource",
  i: "shouldInterrupt",
  j: "setTimeout",
  k: ".grow(",
  l: "=0",
  m: "getTimezoneOffset",
  n: "UTC",
  o: "70",
  p: "Date.now",
  q: "",
  r: "onExit",
  s: "callFunction",
  t: "freeHostRef",
};

/** Imports that let the host decide whether the guest continues. */
export const ENGINE_IMPORT = { shouldInterrupt: "i", callFunction: "s" } as const;

/** `fd_write`. */
const WRITE = "c";
/** `_setitimer_js`. */
const SET_TIMER = "j";
/** `emscripten_resize_heap`. */
const RESIZE = "k";
/** `_emscripten_runtime_keepalive_clear`. */
const KEEP_ALIVE = "l";
/** `proc_exit`. */
const EXIT = "r";

/** https://github.com/WebAssembly/WASI/blob/main/legacy/preview1/docs.md#errno */
const ERRNO_NOT_SUPPORTED = 52;

/**
 * Returns the glue's imports, with those replaced that guests must not reach.
 *
 * @throws {Error} if the imports are not the known ones
 */
export function engineImports(glue: Readonly<Record<string, WebAssembly.ImportValue>>): Record<string, WebAssembly.ImportValue> {
  const names = Object.keys(LANDMARKS);
  if (Object.keys(glue).length !== names.length) throw unknownImports(`found ${Object.keys(glue).length}`);
  for (const name of names) if (!isAsKnown(glue[name], LANDMARKS[name] ?? "")) throw unknownImports(`"${name}" differs`);
  return {
    ...glue,
    [WRITE]: () => ERRNO_NOT_SUPPORTED,
    [SET_TIMER]: () => 0,
    [KEEP_ALIVE]: () => undefined,
    [EXIT]: () => {
      throw new Error("The engine tried to exit its program");
    },
  };
}

function isAsKnown(value: WebAssembly.ImportValue | undefined, landmark: string): boolean {
  if (value instanceof WebAssembly.Memory) return landmark === "";
  return typeof value === "function" && String(value).includes(landmark);
}

function unknownImports(what: string): Error {
  return new Error(`Unknown engine imports: ${what}; review the glue of this build`);
}

/** Refreshes the glue's views of the memory. The glue only does so when the guest grows the memory, so this grows it by nothing. */
export function viewMemory(glue: Readonly<Record<string, WebAssembly.ImportValue>>, memory: WebAssembly.Memory): void {
  const resize = glue[RESIZE];
  // `engineImports` has checked its type.
  if (typeof resize === "function") resize(memory.buffer.byteLength);
}
