/** A change that later parts follow: the part that changes is created before them, so it cannot call them by name. */
export interface Change {
  /** Calls the listeners, in the order in which they were added. */
  notify(): void;
  follow(listener: () => void): void;
}

export function createChange(): Change {
  const listeners: (() => void)[] = [];
  return {
    notify() {
      for (const listener of listeners) listener();
    },
    follow: (listener) => void listeners.push(listener),
  };
}
