/**
 * The contract between the engine (outside) and the prelude (inside): a few fixed entry points, JSON text over them.
 *
 * The prelude is one script whose completion value is `boot`. Everything the engine holds on to afterwards is the
 * `Entry`, whose functions are in the base image.
 */

/** What the engine hands in. These functions are kept in closures; the guest's globals never hold them. */
export interface Native {
  /**
   * Runs an operation. `id` 0 is synchronous: the answer is returned, tagged `v` + JSON value, `s` + raw text
   * (never containing U+0000), or `e` + JSON `{ name, message, code? }`. `id` > 0 is asynchronous: returns undefined,
   * the same kind of answer comes through `Entry.settle`. Bytes that belong to an answer are read with `takeBytes` at
   * once. `text` is JSON, except for `text.*` operations; of operations that the worker does not answer itself it
   * may be `p` + a path, which stands for `{"path": …}`. `bytes` are copied.
   *
   * Strings that contain U+0000 or lone surrogates are mangled on this boundary: send those as JSON.
   */
  hostCall(id: number, operation: string, text: string, bytes?: ArrayBuffer): string | undefined;
  /** With `asText` 1 as text, if they are well-formed UTF-8 without U+0000. */
  takeBytes(asText: 0 | 1): ArrayBuffer | string | undefined;
}

export type Boot = (native: Native) => Entry;

/** A call: the module's file, the export's name, JSON text of the arguments, JSON text of the context (an object). */
export type CallWords = readonly [module: string, name: string, args: string, context: string];

/** What the engine calls. None of these may throw for what the guest did. */
export interface Entry {
  /** Called once per entry module at load, with the module's namespace. */
  define(file: string, namespace: object): void;
  /** Called once at the end of a load, before the image is made. */
  endLoading(): void;
  /**
   * Begins a call. Returns what `poll` returns. Called at most once per restore.
   *
   * Of the context, `sessionId, turnId, callId, agentId, traceparent, workspacePath, settings, permissions, deadline`
   * are the tool's to see; `cwd` (else `workspacePath`) becomes `Deno.cwd()`, `limits.timers` the number of timers
   * that may wait at once, and `limits.pendingOperations` the number of operations under way: more wait inside.
   */
  invoke(...call: CallWords): string;
  /** Settles an asynchronous operation; `hasBytes` 1 if bytes belong to the answer. Microtasks are run by the engine afterwards. */
  settle(id: number, answer: string, hasBytes: number): void;
  /**
   * Runs at most one timer that is due: the engine runs the microtasks in between, as browsers and Deno do. `poll`
   * then answers `w0` while another one is due.
   */
  runTimers(): void;
  /** Aborts `context.signal` with an `AbortError` (cancellation, grace period begins). */
  abort(): void;
  /**
   * Where the call stands, a tag and its text:
   * - `w` + milliseconds until the next timer, or nothing: waiting; then, after a comma, how many timers waited at once at
   *   most, if any did;
   * - `d` + JSON: done, `{"o": value}` for a plain output, or `{"t": {output?, content?, success?, metadata?,
   *   filesModified?, commandExecuted?}}` for a tool output (`context.output(…)`); always exactly one of the keys;
   * - `t` + JSON `{ name, message, stack, toolError? }`: threw or rejected; `toolError` is `{ message, details? }`, for
   *   an error whose name is `ToolError` (SPEC X4);
   * - `n` + message: the returned value is not JSON;
   * - `x` + JSON `[names]`: no such export, these exist;
   * - `u` + JSON `[operations]`: returned while operations with effects were still running;
   * - `r` + JSON `{ name, message, stack }`: an error that nobody caught, thrown in a timer, a microtask or an event
   *   listener, or given to `reportError`. Also possible before `invoke`, while the plugin loads. Promises that are
   *   rejected are told to the log (`rejections.ts`).
   * - `l` + JSON `{ limit: "timers", allowed }`: a limit that the prelude keeps was passed.
   *
   * The first outcome stays.
   */
  poll(): string;
  /**
   * Looks at what the tool returned for values that its JSON lost. Answers nothing, or `n` as `poll` does, which is the outcome then.
   * The returned value is forgotten. Asked only where the text gives reason to: most calls pay nothing for it.
   */
  checkOutput(): string;
  /** A promise was rejected while nobody waited for it (`isHandled` 0), or somebody does after all (1). */
  rejected(promise: object, reason: unknown, isHandled: number): void;
}
