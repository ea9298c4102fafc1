/** What a guest meets when it calls out of its instance. */

/** What the host side of an instance answers while guest code runs. Replaced for each call. */
export interface GuestHost {
  /** See `Native.hostCall` in `guest/protocol.ts`. */
  hostCall(
    id: number,
    operation: string,
    text: string,
    bytes: Uint8Array | undefined,
  ): { readonly answer: string | undefined; readonly bytes?: Uint8Array };
  /** Polled by the engine; true ends the guest's current entry. */
  shouldInterrupt(): boolean;
  /** Milliseconds since the epoch, as the guest sees them. */
  now(): number;
  moduleSource(name: string): string | GuestThrow;
  moduleName(base: string, name: string): string | GuestThrow;
}

/** Makes the engine throw an error of this message into the guest. */
export interface GuestThrow {
  readonly throws: string;
}

/** Between calls nothing answers and nothing may run. */
export const CLOSED_HOST: GuestHost = {
  hostCall: () => ({ answer: undefined }),
  shouldInterrupt: () => true,
  now: () => 0,
  moduleSource: () => ({ throws: "No plugin is loading" }),
  moduleName: () => ({ throws: "No plugin is loading" }),
};
