/** Changes of files, reported as they happen. Types only. */

/** Reports changes below folders. */
export interface Watcher {
  /**
   * Watches folders recursively without following links. `onChange` gets absolute paths as they come, without debounce. `onError` reports
   * that the watcher is no longer reliable (out of handles, a loop).
   */
  watch(paths: readonly string[], onChange: (path: string) => void, onError: (error: Error) => void): Promise<{ close(): Promise<void> }>;
}
