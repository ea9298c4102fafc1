/**
 * The contract between the engine (outside) and the prelude (inside): a few fixed entry points that exchange JSON text.
 *
 * The prelude is one script whose completion value is `boot`. The engine holds only the `Entry` afterwards, whose functions are
 * in the base image.
 */

/** Functions from the engine. Closures hold them; the guest's globals never do. */
export interface Native {
  /**
   * Runs an operation. `id` 0 is synchronous: the answer is returned, tagged `v` + JSON value, `s` + raw text (never containing
   * U+0000), or `e` + JSON `{ name, message, code? }`. `id` > 0 is asynchronous: the call returns undefined, and the same kind of
   * answer arrives through `Entry.settle`. Bytes of an answer must be read with `takeBytes` at once. `text` is JSON, except for
   * `text.*` operations. `stack` is that of the request, for an operation that waited in the prelude. For operations that the worker does not answer itself it may be `p` + a path, which stands for
   * `{"path": …}`. `bytes` are copied.
   *
   * This boundary mangles strings that contain U+0000 or lone surrogates: send those as JSON.
   */
  hostCall(id: number, operation: string, text: string, bytes?: ArrayBuffer, stack?: string): string | undefined;
  /** Takes the bytes of the last answer; with `asText` 1 as text, if they are well-formed UTF-8 without U+0000. */
  takeBytes(asText: 0 | 1): ArrayBuffer | string | undefined;
}

/** A call: the module's file, the export's name, JSON text of the arguments, JSON text of the context (an object). */
export type CallWords = readonly [module: string, name: string, args: string, context: string];

/** Functions that the engine calls. None of them may throw because of the guest's code. */
export interface Entry {
  /** Called once per entry module at load, with the module's namespace. */
  define(file: string, namespace: object): void;
  /** Called once at the end of a load, before the image is made. */
  endLoading(): void;
  /**
   * Begins a call. Returns what `poll` returns. Called at most once per restore.
   *
   * The tool sees `sessionId, turnId, callId, idempotencyKey, agentId, traceparent, workspacePath, settings, permissions, deadline` of the
   * context. `cwd` (else `workspacePath`) becomes `Deno.cwd()`, `limits.timers` is the maximum number of waiting timers, and
   * `limits.pendingOperations` the maximum number of operations in flight; further operations are queued in the guest.
   */
  invoke(...call: CallWords): string;
  /** Settles an asynchronous operation; `hasBytes` is 1 if the answer has bytes. The engine runs the microtasks afterwards. */
  settle(id: number, answer: string, hasBytes: number): void;
  /**
   * Runs at most one timer that is due, because the engine runs the microtasks between two timers, as browsers and Deno do.
   * `poll` then returns `w0` while another timer is due.
   */
  runTimers(): void;
  /** Aborts `context.signal` with an `AbortError` (cancellation, grace period begins). */
  abort(): void;
  /**
   * Returns the state of the call, a tag and its text:
   * - `w` + milliseconds until the next timer, or nothing: waiting; then, after a comma, the maximum number of timers that waited
   *   at once, if any did;
   * - `d` + JSON: done, `{"o": value}` for a plain output, or `{"t": {output?, content?, success?, metadata?, filesModified?,
   *   commandExecuted?}}` for a tool output (`context.output(…)`); always exactly one of the keys;
   * - `t` + JSON `{ name, message, stack, toolError? }`: threw or rejected; `toolError` is `{ message, details? }`, for an error
   *   whose name is `ToolError` (SPEC X4);
   * - `n` + message: the returned value is not JSON;
   * - `x` + JSON `[names]`: the export does not exist, these do;
   * - `u` + JSON `[operations]`: returned while operations with effects were still running;
   * - `r` + JSON `{ name, message, stack }`: an uncaught error, thrown in a timer, a microtask or an event listener, or passed to
   *   `reportError`. Also possible before `invoke`, while the plugin loads. Unhandled rejections are logged instead
   *   (`rejections.ts`);
   * - `l` + JSON `{ limit: "timers", allowed }`: a limit that the prelude enforces was exceeded.
   *
   * The first outcome stays.
   */
  poll(): string;
  /**
   * Checks the tool's return value for values that its JSON lost. Returns an empty text, or `n` as `poll` does, which then is the
   * outcome. Forgets the returned value. Called only if the text may hide a lost value, so most calls skip the cost.
   */
  checkOutput(): string;
  /** Notifies the prelude that a promise was rejected without a handler (`isHandled` 0), or got a handler later (1). */
  rejected(promise: object, reason: unknown, isHandled: number): void;
}
