/** Paths have one separator everywhere above this folder; Windows takes it too. */
export function withSlashes(path: string, isWindows: boolean = process.platform === "win32"): string {
  return isWindows ? path.replaceAll("\\", "/") : path;
}
