/** A request body that the guest sends in pieces, each after the socket has taken the one before. */

/** The bridge writes pieces, the network reads them. */
export interface StreamedBody {
  /** The pieces to send. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Resolves to true when the piece was taken, or false if the body was closed. One write at a time. */
  write(piece: Uint8Array): Promise<boolean>;
  end(): void;
  /** Closes the body when its reader or its writer stops. */
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
        else if (state === "closed") throw new Error("The request body was cancelled");
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
