/** Loads data of a page, with the states that a page shows. */

import { useCallback, useEffect, useState } from "preact/hooks";

/** `data` stays while it is loaded again; `error` is the message of the last attempt. */
export interface Loaded<T> {
  readonly data: T | undefined;
  readonly error: string | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/** Runs `read` now and whenever a value of `on` changes. An answer that a later request has overtaken is dropped. */
export function useLoad<T>(read: () => Promise<T>, on: readonly unknown[]): Loaded<T> {
  const [state, change] = useState<Omit<Loaded<T>, "reload">>({ data: undefined, error: undefined, isLoading: true });
  const [round, again] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    change((before) => ({ ...before, isLoading: true }));
    read().then(
      (data) => isCurrent && change({ data, error: undefined, isLoading: false }),
      (error: unknown) =>
        isCurrent && change((before) => ({ ...before, error: error instanceof Error ? error.message : String(error), isLoading: false })),
    );
    return () => {
      isCurrent = false;
    };
  }, [...on, round]);
  return { ...state, reload: useCallback(() => again((count) => count + 1), []) };
}
