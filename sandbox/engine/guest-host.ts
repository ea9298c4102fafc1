/** Interface between a guest and its host. */

/** Host side of an instance while guest code runs. Replaced for each call. */
export interface GuestHost {
  /**
   * See `Native.hostCall` in `guest/call/protocol.ts`. `"later"` (allowed if `mayWait`) suspends the guest; `awaited` then returns the answer.
   */
  hostCall(call: HostCallWords, mayWait: boolean): HostCallAnswer | "later";
  /** Returns the answer that the guest was suspended for. */
  awaited(): HostCallAnswer;
  /** Polled by the engine. True ends the guest's current entry. */
  shouldInterrupt(): boolean;
  /** Polled by the engine where it can suspend the guest. True suspends it. */
  shouldSuspend(): boolean;
  /** Called when the guest leaves the thread. It resumes when the promise is fulfilled. */
  suspended(): Promise<void>;
  /** Milliseconds since the epoch, as the guest sees them. */
  now(): number;
  moduleSource(name: string): string | GuestThrow;
  moduleName(base: string, name: string): string | GuestThrow;
}

/** See `Native.hostCall` in `guest/call/protocol.ts`. */
export type HostCallWords = readonly [
  id: number,
  operation: string,
  text: string,
  bytes: Uint8Array | undefined,
  /** Reads the stack of the request, of an operation that waited in the guest. */
  stack?: (() => string) | undefined,
];

export interface HostCallAnswer {
  readonly answer: string | undefined;
  readonly bytes?: Uint8Array;
}

/** Members of a host that never suspends its guests. */
export const NEVER_SUSPENDS: Pick<GuestHost, "awaited" | "shouldSuspend" | "suspended"> = {
  awaited: () => ({ answer: undefined }),
  shouldSuspend: () => false,
  suspended: () => Promise.reject(new Error("This host cannot suspend guests")),
};

/** Makes the engine throw an error with this message into the guest. */
export interface GuestThrow {
  readonly throws: string;
}

/** Host between calls: answers nothing and lets no guest code run. */
export const CLOSED_HOST: GuestHost = {
  ...NEVER_SUSPENDS,
  hostCall: () => ({ answer: undefined }),
  shouldInterrupt: () => true,
  now: () => 0,
  moduleSource: () => ({ throws: "No plugin is loading" }),
  moduleName: () => ({ throws: "No plugin is loading" }),
};
