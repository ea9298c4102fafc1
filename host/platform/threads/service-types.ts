/** Service threads: threads of the host's own that do work by name, so that the host's thread does not (SPEC LV2). */

/** One piece of work. What crosses is copied, except for the buffers that are moved. */
export interface ServiceRequest {
  readonly id: number;
  readonly task: string;
  readonly input: unknown;
}

/** `name` and `code` are those of the error that the task threw. */
export type ServiceAnswer =
  | { readonly id: number; readonly ok: true; readonly output: unknown }
  | { readonly id: number; readonly ok: false; readonly name: string; readonly message: string; readonly code?: string };

/** A running thread. */
export interface ServiceConnection {
  post(request: ServiceRequest, moved: readonly ArrayBuffer[]): void;
  onAnswer(listener: (answer: ServiceAnswer) => void): void;
  /** Called once, also after `terminate`. */
  onExit(listener: (reason: string) => void): void;
  /** Whether the process lives as long as the thread does. Off at the start. */
  keepAlive(on: boolean): void;
  terminate(): Promise<void>;
}

/** Starts service threads. */
export interface ServiceThreads {
  /** @param entry the module that serves the tasks (`host/host/service-main.ts`) */
  start(entry: URL): ServiceConnection;
}
