/** A request's body that comes from the guest piece by piece, each when the socket has taken the one before. */

/** One end is the bridge's, the other the network's. */
export interface StreamedBody {
  /** What is sent. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Resolves when the piece was taken; false if nobody wants it any more. One at a time. */
  write(piece: Uint8Array): Promise<boolean>;
  end(): void;
  /** Nobody reads on, or nobody writes on. */
  close(): void;
  readonly bytes: number;
}

export function createStreamedBody(): StreamedBody {
  let waiting: { readonly piece: Uint8Array; readonly taken: (wanted: boolean) => void } | undefined;
  let wake: () => void = () => undefined;
  let state: "open" | "ended" | "closed" = "open";
  let bytes = 0;

  const close = (): void => {
    if (state === "open") state = "closed";
    waiting?.taken(false);
    waiting = undefined;
    wake();
  };

  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const next = waiting;
        waiting = undefined;
        next?.taken(true);
        if (next !== undefined) yield next.piece;
        else if (state === "ended") return;
        else if (state === "closed") throw new Error("The body was given up");
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      close();
    }
  }

  return {
    pieces: { [Symbol.asyncIterator]: pieces },
    get bytes() {
      return bytes;
    },
    write(piece) {
      if (state !== "open" || waiting !== undefined) return Promise.resolve(false);
      bytes += piece.length;
      return new Promise((taken) => {
        waiting = { piece, taken };
        wake();
      });
    },
    end() {
      if (state === "open") state = "ended";
      wake();
    },
    close,
  };
}
