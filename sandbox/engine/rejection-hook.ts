/**
 * The engine's hook for promises that are rejected without a handler (HostPromiseRejectionTracker,
 * https://tc39.es/ecma262/#sec-host-promise-rejection-tracker).
 *
 * QuickJS has the hook, but the package exports no function to set it: it is a pointer in the runtime to a function in the engine's
 * table. The rewritten engine exports its table, so the sandbox adds a function there, and `boot` sets the pointer. The published engine
 * has no usable hook.
 */

/** Receives a promise and its reason (engine values), with 0 if it was rejected and 1 if it was handled later. */
type RejectionListener = (context: number, promise: bigint, reason: bigint, isHandled: number) => void;

/**
 * A module that exports its import, which gives the function the hook's WebAssembly type:
 * `(module (import "b" "r" (func (param i32 i64 i64 i32 i32))) (export "r" (func 0)))`.
 */
const TYPED = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x09, 0x01, 0x60, 0x05, 0x7f, 0x7e, 0x7e, 0x7f, 0x7f, 0x00],
  ...[0x02, 0x07, 0x01, 0x01, 0x62, 0x01, 0x72, 0x00, 0x00],
  ...[0x07, 0x05, 0x01, 0x01, 0x72, 0x00, 0x00],
);
let typed: WebAssembly.Module | undefined;

/** Adds the listener to the table. @returns its index, the same in every instance of a module */
export function addRejectionListener(table: WebAssembly.Table, listener: RejectionListener): number {
  typed ??= new WebAssembly.Module(TYPED);
  const { exports } = new WebAssembly.Instance(typed, { b: { r: listener } });
  return table.grow(1, exports["r"]);
}

/** Offset in words: `interrupt_handler`, its argument, then the hook (`struct JSRuntime` of quickjs.c). */
const WORDS_FROM_INTERRUPT_HANDLER = 2;

/**
 * Returns the hook's index: a fixed number of words after the one that setting the interrupt handler changes.
 *
 * @param words the runtime's memory before and after
 * @throws {Error} if the layout is that of another build
 */
export function findRejectionHook(before: Uint32Array, after: Uint32Array): number {
  const changed: number[] = [];
  for (let index = 0; index < after.length; index++) if (before[index] !== after[index]) changed.push(index);
  const [at] = changed;
  const hook = (at ?? 0) + WORDS_FROM_INTERRUPT_HANDLER;
  if (at === undefined || changed.length !== 1 || after[hook] !== 0)
    throw new Error("Cannot find the engine's rejection hook: unknown engine build");
  return hook;
}
