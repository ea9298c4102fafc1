/**
 * Progress and yielded values on their way to a caller (SPEC CL3). At most a window of frames is under way: a tool that yields waits for its
 * reader, progress is dropped. Frames stay until the caller has taken them, and are sent again on request.
 */

/** A frame that the caller has not taken yet. */
interface Frame {
  readonly number: number;
  readonly bytes: number;
  readonly send: () => void;
  readonly onTaken: () => void;
}

interface DeliveryOptions {
  /** Whether the caller has not been heard of for so long that nothing waits for it any more. */
  readonly isGone: () => boolean;
  /** Calls back after a while, to look whether the caller is gone. Returns a cancel function. */
  readonly soon: (task: () => void) => () => void;
}

/** Frames under way. */
const WINDOW = 32;
const WINDOW_BYTES = 1024 * 1024;

export class Delivery {
  readonly #options: DeliveryOptions;
  #last = 0;
  #taken = 0;
  #bytes = 0;
  #under: readonly Frame[] = [];
  #waiters = new Set<() => void>();

  constructor(options: DeliveryOptions) {
    this.#options = options;
  }

  /** Number of frames that the caller has taken. */
  get taken(): number {
    return this.#taken;
  }

  get hasRoom(): boolean {
    return this.#under.length < WINDOW && this.#bytes < WINDOW_BYTES;
  }

  /** Waits for room in the window. Returns false if the caller is gone: then the frame is dropped. */
  async room(): Promise<boolean> {
    return await this.#until(() => this.hasRoom);
  }

  /** Waits until the caller has taken every frame, or is gone. */
  async flushed(): Promise<void> {
    await this.#until(() => this.#under.length === 0);
  }

  /** Sends a frame. @param make returns a function that sends it, any number of times */
  add(bytes: number, make: (number: number) => Pick<Frame, "send" | "onTaken">): void {
    this.#last += 1;
    const frame = { number: this.#last, bytes, ...make(this.#last) };
    // The caller has it from a member that ran the call before.
    if (frame.number <= this.#taken) return frame.onTaken();
    this.#under = [...this.#under, frame];
    this.#bytes += bytes;
    frame.send();
  }

  /**
   * The caller has taken the frames up to this number. Repeats and older numbers change nothing. A number above all of them comes from a caller
   * that had frames of an earlier run.
   */
  take(number: number): void {
    if (number <= this.#taken) return;
    this.#taken = number;
    const gone = this.#under.filter((frame) => frame.number <= number);
    this.#under = this.#under.filter((frame) => frame.number > number);
    for (const frame of gone) {
      this.#bytes -= frame.bytes;
      frame.onTaken();
    }
    for (const wake of [...this.#waiters]) wake();
  }

  resend(): void {
    for (const { send } of this.#under) send();
  }

  async #until(isSo: () => boolean): Promise<boolean> {
    while (!isSo()) {
      if (this.#options.isGone()) return false;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          cancel();
          this.#waiters.delete(wake);
          resolve();
        };
        const cancel = this.#options.soon(wake);
        this.#waiters.add(wake);
      });
    }
    return true;
  }
}
