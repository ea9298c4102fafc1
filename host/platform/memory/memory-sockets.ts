/** Local sockets between two ends in the same process. */

import { joinBytes } from "../bytes.ts";
import { fileError } from "../files/file-errors.ts";
import type { LineConnection, LineListener, LocalSockets } from "../platform.ts";

export function createMemorySockets(): LocalSockets {
  const listening = new Map<string, (connection: LineConnection) => void>();
  return {
    async listen(path, onConnection) {
      if (listening.has(path)) throw fileError("already_exists");
      listening.set(path, onConnection);
      return { close: async () => void listening.delete(path) };
    },
    async connect(path) {
      const onConnection = listening.get(path);
      if (onConnection === undefined) return undefined;
      const [near, far] = createMemoryPair();
      onConnection(far);
      return near;
    },
  };
}

interface End {
  readonly lines: string[];
  onLine: LineListener | undefined;
  /** Whether the listener is still handling a line. */
  isBusy: boolean;
  readonly onClose: (() => void)[];
}

/** Creates the two ends of one connection. */
export function createMemoryPair(): readonly [LineConnection, LineConnection] {
  const ends: readonly [End, End] = [createEnd(), createEnd()];
  let open = true;
  return [connectionOf(ends[0], ends[1]), connectionOf(ends[1], ends[0])];

  function connectionOf(own: End, other: End): LineConnection {
    return {
      sendPieces(pieces) {
        this.send(
          new TextDecoder().decode(joinBytes(pieces.map((piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : piece)))),
        );
      },
      send(line) {
        if (line.includes("\n")) throw new Error("A line cannot contain a newline");
        if (!open) return;
        other.lines.push(line);
        queueMicrotask(() => deliver(other));
      },
      get unsent() {
        return other.lines.reduce((length, line) => length + line.length, 0);
      },
      onLine(listener) {
        own.onLine = listener;
        queueMicrotask(() => deliver(own));
      },
      onClose: (listener) => void own.onClose.push(listener),
      close() {
        if (!open) return;
        open = false;
        queueMicrotask(() => ends.forEach((end) => end.onClose.forEach((listener) => listener())));
      },
    };
  }
}

function createEnd(): End {
  return { lines: [], onLine: undefined, isBusy: false, onClose: [] };
}

function deliver(end: End): void {
  const { onLine } = end;
  while (onLine !== undefined && !end.isBusy) {
    const line = end.lines.shift();
    if (line === undefined) return;
    const heard = onLine(line);
    if (heard === undefined) continue;
    end.isBusy = true;
    void heard.then(() => {
      end.isBusy = false;
      deliver(end);
    });
  }
}
