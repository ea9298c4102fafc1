/** Facts of `bascule doctor`. Types only. */

/** Properties of this system that bascule depends on. */
export interface SystemFacts {
  readonly runtime: { readonly name: "node" | "deno" | "memory"; readonly version: string; readonly program: string };
  /** Absent if Deno is not installed. */
  readonly deno?: { readonly program: string; readonly version?: string };
  /** Number of cached `images` of plugins and of the engine, and their bytes. */
  readonly cache: { readonly folder: string; readonly images: number; readonly bytes: number };
  readonly watcher: { readonly works: boolean; readonly problem?: string };
  /** Protection of open files against renaming: `kernel` reports their real paths; `compared`: by device and inode. */
  readonly files: "kernel" | "compared";
}
