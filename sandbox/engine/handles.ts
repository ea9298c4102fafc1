/** Addresses inside a guest that the engine side keeps. Together with the guest's bytes they describe a guest at rest. */

/** Set when the base image is created, and the same in every image on top of it. */
export interface Handles extends ValueHandles {
  readonly runtime: number;
  readonly jobContext: number;
  /** The prelude's entry functions, by name. */
  readonly entry: Readonly<Record<EntryName, number>>;
}

export const ENTRY_NAMES = ["define", "endLoading", "invoke", "settle", "runTimers", "abort", "poll", "checkOutput", "rejected"] as const;
export type EntryName = (typeof ENTRY_NAMES)[number];

/** Addresses that the value functions need. Part of an instance's `Handles`. */
export interface ValueHandles {
  readonly context: number;
  readonly undefinedValue: number;
  /** Memory for four argument pointers. */
  readonly argumentPointers: number;
}
