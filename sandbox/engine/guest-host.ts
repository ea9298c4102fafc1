/** What a guest meets when it calls out of its instance. */

/** What the host side of an instance answers while guest code runs. Replaced for each call. */
export interface GuestHost {
  /** See `Native.hostCall` in `guest/protocol.ts`. `"later"`, where `mayWait`: the guest is suspended, then `awaited` is asked. */
  hostCall(call: HostCallWords, mayWait: boolean): HostCallAnswer | "later";
  /** The answer to the call that the guest was suspended for. */
  awaited(): HostCallAnswer;
  /** Polled by the engine; true ends the guest's current entry. */
  shouldInterrupt(): boolean;
  /** Polled by the engine where it may suspend the guest; true does so. */
  shouldSuspend(): boolean;
  /** The guest leaves the thread; it goes on when the promise is fulfilled. */
  suspended(): Promise<void>;
  /** Milliseconds since the epoch, as the guest sees them. */
  now(): number;
  moduleSource(name: string): string | GuestThrow;
  moduleName(base: string, name: string): string | GuestThrow;
}

/** See `Native.hostCall` in `guest/protocol.ts`. */
export type HostCallWords = readonly [id: number, operation: string, text: string, bytes: Uint8Array | undefined];

export interface HostCallAnswer {
  readonly answer: string | undefined;
  readonly bytes?: Uint8Array;
}

/** What a host needs that never suspends its guests. */
export const NEVER_SUSPENDS: Pick<GuestHost, "awaited" | "shouldSuspend" | "suspended"> = {
  awaited: () => ({ answer: undefined }),
  shouldSuspend: () => false,
  suspended: () => Promise.reject(new Error("This host suspends no guest")),
};

/** Makes the engine throw an error of this message into the guest. */
export interface GuestThrow {
  readonly throws: string;
}

/** Between calls nothing answers and nothing may run. */
export const CLOSED_HOST: GuestHost = {
  ...NEVER_SUSPENDS,
  hostCall: () => ({ answer: undefined }),
  shouldInterrupt: () => true,
  now: () => 0,
  moduleSource: () => ({ throws: "No plugin is loading" }),
  moduleName: () => ({ throws: "No plugin is loading" }),
};
