/**
 * The engine's hook for promises that are rejected while nobody waits for them (HostPromiseRejectionTracker,
 * https://tc39.es/ecma262/#sec-host-promise-rejection-tracker).
 *
 * QuickJS has it, but the package has no function that sets it: it is a pointer in the runtime, to a function in the
 * engine's table. The rewritten engine exports its table, so a function of ours is put there, and `boot` sets the pointer.
 * On the engine as it is published there is no hook.
 */

/** Told of a promise and its reason (values of the engine), and whether it is rejected (0) or taken care of after all (1). */
export type RejectionListener = (context: number, promise: bigint, reason: bigint, isHandled: number) => void;

/**
 * A module that hands out what it imports, so that it has the hook's type:
 * `(module (import "b" "r" (func (param i32 i64 i64 i32 i32))) (export "r" (func 0)))`.
 */
const TYPED = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  ...[0x01, 0x09, 0x01, 0x60, 0x05, 0x7f, 0x7e, 0x7e, 0x7f, 0x7f, 0x00],
  ...[0x02, 0x07, 0x01, 0x01, 0x62, 0x01, 0x72, 0x00, 0x00],
  ...[0x07, 0x05, 0x01, 0x01, 0x72, 0x00, 0x00],
);
let typed: WebAssembly.Module | undefined;

/** Puts the listener into the table. @returns its number there, the same in every instance of one module */
export function addRejectionListener(table: WebAssembly.Table, listener: RejectionListener): number {
  typed ??= new WebAssembly.Module(TYPED);
  const { exports } = new WebAssembly.Instance(typed, { b: { r: listener } });
  return table.grow(1, exports["r"]);
}

/** `interrupt_handler`, its argument, then the hook (`struct JSRuntime` of quickjs.c), in words. */
const WORDS_FROM_INTERRUPT_HANDLER = 2;

/**
 * Where the hook is: so many words after the one that setting the interrupt handler changes.
 *
 * @param words the runtime's memory before and after. @throws {Error} if it is another build's.
 */
export function findRejectionHook(before: Uint32Array, after: Uint32Array): number {
  const changed: number[] = [];
  for (let index = 0; index < after.length; index++) if (before[index] !== after[index]) changed.push(index);
  const [at] = changed;
  const hook = (at ?? 0) + WORDS_FROM_INTERRUPT_HANDLER;
  if (at === undefined || changed.length !== 1 || after[hook] !== 0)
    throw new Error("Cannot find the engine's rejection hook; this build is not the one the sandbox knows");
  return hook;
}
