/** Service threads: threads of the host that run named tasks to relieve the host's thread (SPEC LV2). */

/** One task to run. Data is copied, except for moved buffers. */
export interface ServiceRequest {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
}

/** Answer to a request. `name` and `code` are those of the error that the task threw. */
export type ServiceAnswer =
  | { readonly id: number; readonly ok: true; readonly output: unknown }
  | { readonly id: number; readonly ok: false; readonly name: string; readonly message: string; readonly code?: string };

/** A running thread. */
export interface ServiceConnection {
  post(request: ServiceRequest, moved: readonly ArrayBuffer[]): void;
  onAnswer(listener: (answer: ServiceAnswer) => void): void;
  /** Called once, also after `terminate`. */
  onExit(listener: (reason: string) => void): void;
  /** Whether the thread keeps the process alive. Off at the start. */
  keepAlive(on: boolean): void;
  terminate(): Promise<void>;
}

/** Starts service threads. */
export interface ServiceThreads {
  /** @param entry the module that serves the tasks (`host/host/service-main.ts`) */
  start(entry: URL): ServiceConnection;
}
