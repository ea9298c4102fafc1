/**
 * What the engine's module imports from its Emscripten glue, and what of that no guest may have.
 *
 * A guest that controls its memory may call any import with anything (decision 13). Most answer from the arguments and
 * guest memory alone. The rest belongs to programs that own their process: timers, which would fire when the instance
 * is somebody else's; output, which piles up here; the process's end. None of those does anything here.
 *
 * The names are minified: they are those of the pinned package, and whatever differs fails loudly.
 */

/** By name: what the import does in the glue, as a piece of its source. */
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

/** The imports in whose answer the engine's host has a say on whether the guest goes on now. */
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
 * The glue's table, with what guests must not reach replaced.
 *
 * @throws {Error} if the imports are not those that are known
 */
export function engineImports(glue: Readonly<Record<string, WebAssembly.ImportValue>>): Record<string, WebAssembly.ImportValue> {
  const names = Object.keys(LANDMARKS);
  if (Object.keys(glue).length !== names.length) throw unknownImports(`there are ${Object.keys(glue).length}`);
  for (const name of names) if (!isAsKnown(glue[name], LANDMARKS[name] ?? "")) throw unknownImports(`"${name}" is another`);
  return {
    ...glue,
    [WRITE]: () => ERRNO_NOT_SUPPORTED,
    [SET_TIMER]: () => 0,
    [KEEP_ALIVE]: () => undefined,
    [EXIT]: () => {
      throw new Error("The engine wants to end its program");
    },
  };
}

function isAsKnown(value: WebAssembly.ImportValue | undefined, landmark: string): boolean {
  if (value instanceof WebAssembly.Memory) return landmark === "";
  return typeof value === "function" && String(value).includes(landmark);
}

function unknownImports(what: string): Error {
  return new Error(`The engine's imports are not those the sandbox knows: ${what}; this build needs a look at its glue`);
}

/** The glue keeps views of the memory, which it makes anew only when the guest grows it: has it grow by nothing. */
export function viewMemory(glue: Readonly<Record<string, WebAssembly.ImportValue>>, memory: WebAssembly.Memory): void {
  const resize = glue[RESIZE];
  // Checked when the module was started.
  if (typeof resize === "function") resize(memory.buffer.byteLength);
}
