/**
 * Streams over sockets in the file system, or over named pipes on Windows.
 *
 * On Deno they are made of Deno's own connections: `node:net` of Deno 2.9.5 closes the descriptor of such a socket twice (`strace -e
 * close` shows EBADF for every connection), so the second one can close a file that was opened in between.
 */

import { connect, createServer } from "node:net";
import { Duplex } from "node:stream";
import { joinBytes } from "../bytes.ts";

const READ_BYTES = 64 * 1024;
const RETRY_MS = 10;

export interface PathServer {
  /** Stops accepting connections. Open ones remain; on Node the promise resolves when they have ended too. */
  close(): Promise<void>;
}

/** Listens on `path`. Rejects with the system's error, such as `EADDRINUSE`. */
export async function listenOnPath(path: string, onSocket: (socket: Duplex) => void): Promise<PathServer> {
  const deno = denoSockets();
  if (deno !== undefined) return accept(deno.listen({ transport: "unix", path }), onSocket);
  const server = createServer(onSocket);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      // After binding, errors concern single connections (out of descriptors): those clients see a closed connection.
      server.on("error", () => {});
      resolve();
    });
  });
  return { close: () => new Promise((resolve) => void server.close(() => resolve())) };
}

/** Connects to the socket at `path`. Rejects with the system's error, such as `ECONNREFUSED`. */
export async function connectToPath(path: string): Promise<Duplex> {
  const deno = denoSockets();
  if (deno !== undefined) return new DenoSocket(await deno.connect({ transport: "unix", path }));
  return await new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

interface DenoConnection {
  read(into: Uint8Array): Promise<number | null>;
  write(bytes: Uint8Array): Promise<number>;
  closeWrite(): Promise<void>;
  close(): void;
}

interface DenoListener {
  accept(): Promise<DenoConnection>;
  close(): void;
}

interface DenoSockets {
  listen(address: { readonly transport: "unix"; readonly path: string }): DenoListener;
  connect(address: { readonly transport: "unix"; readonly path: string }): Promise<DenoConnection>;
}

/** Deno's own functions, where sockets have paths; `undefined` on Node and for the named pipes of Windows. */
function denoSockets(): DenoSockets | undefined {
  if (process.platform === "win32") return undefined;
  return (globalThis as { readonly Deno?: DenoSockets }).Deno;
}

function accept(listener: DenoListener, onSocket: (socket: Duplex) => void): PathServer {
  let isOpen = true;
  void (async () => {
    while (isOpen) {
      const connection = await listener.accept().catch(() => undefined);
      if (connection !== undefined) onSocket(new DenoSocket(connection));
      // A single connection failed (out of descriptors): its client sees a closed one, and the next may work.
      else if (isOpen) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  })();
  return {
    async close() {
      if (!isOpen) return;
      isOpen = false;
      listener.close();
    },
  };
}

/** A connection of Deno as a stream that ends and fails as `net.Socket` does. */
class DenoSocket extends Duplex {
  readonly #connection: DenoConnection;
  readonly #buffer = new Uint8Array(READ_BYTES);

  constructor(connection: DenoConnection) {
    super({ allowHalfOpen: false });
    this.#connection = connection;
  }

  override _read(): void {
    this.#connection.read(this.#buffer).then(
      (length) => void this.push(length === null ? null : this.#buffer.slice(0, length)),
      (error: unknown) => void this.destroy(error as Error),
    );
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    this.#write(chunk).then(() => done(), done);
  }

  override _writev(chunks: readonly { readonly chunk: Uint8Array }[], done: (error?: Error) => void): void {
    this.#write(joinBytes(chunks.map(({ chunk }) => chunk))).then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#connection.closeWrite().then(() => done(), done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#connection.close();
    done(error);
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) at += await this.#connection.write(bytes.subarray(at));
  }
}
