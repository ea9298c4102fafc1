/** Connections that exchange lines of text, and the sockets between processes of one user. Types only. */

/** A duplex stream of text, cut into lines. */
export interface LineConnection {
  send(line: string): void;
  /** Sends one line without copying its bytes. No other line comes between the pieces. */
  sendPieces(pieces: readonly (string | Uint8Array)[]): void;
  /** Amount of sent data that the other side has not read, in bytes or characters. */
  readonly unsent: number;
  /** A line longer than the cap ends the connection. The next line waits until the listener's promise has resolved. */
  onLine(listener: LineListener): void;
  onClose(listener: () => void): void;
  close(): void;
}

/** Must not reject. */
export type LineListener = (line: string) => void | Promise<void>;

/** Connections between processes of one user on one machine. */
export interface LocalSockets {
  /**
   * Binds a Unix socket with mode 0600 (a named pipe on Windows). @throws {FileError} `already_exists` if a live host listens there; a
   * stale socket is replaced.
   */
  listen(path: string, onConnection: (connection: LineConnection) => void): Promise<{ close(): Promise<void> }>;
  /** Connects to a socket. Undefined if no host listens. */
  connect(path: string): Promise<LineConnection | undefined>;
}
