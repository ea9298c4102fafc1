/** One sandbox for several hosts in turn: opening a host starts no worker, and calls find warm ones. */

import type { Sandbox } from "./sandbox.ts";

/** A sandbox that hosts share. Its workers end at `close`. */
export interface SharedSandbox {
  /** Returns one host's view. Its `close` unloads what this host has loaded; the workers stay. */
  open(): Sandbox;
  close(): Promise<void>;
}

/** Shares a sandbox. An image stays loaded until the last host that loaded its digest has unloaded it. */
export function createSharedSandbox(sandbox: Sandbox): SharedSandbox {
  const users = new Map<string, number>();

  function release(digest: string): void {
    const left = (users.get(digest) ?? 0) - 1;
    if (left > 0) return void users.set(digest, left);
    users.delete(digest);
    sandbox.unload(digest);
  }

  return {
    open() {
      const own = new Set<string>();
      return {
        async load(source) {
          const { digest } = source;
          // Counted before the load, so that another host's `unload` meanwhile leaves the image.
          if (!own.has(digest)) users.set(digest, (users.get(digest) ?? 0) + 1);
          own.add(digest);
          const outcome = await sandbox.load(source);
          if (!outcome.ok && own.delete(digest)) release(digest);
          return outcome;
        },
        invoke: (invocation) => sandbox.invoke(invocation),
        unload(digest) {
          if (own.delete(digest)) release(digest);
        },
        endSession: (session) => sandbox.endSession(session),
        close() {
          for (const digest of own) release(digest);
          own.clear();
          return Promise.resolve();
        },
      };
    },
    close: () => sandbox.close(),
  };
}
