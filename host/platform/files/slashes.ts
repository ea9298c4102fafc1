/** Converts separators: above this folder all paths use "/", which Windows accepts too. */
export function withSlashes(path: string, isWindows: boolean = process.platform === "win32"): string {
  return isWindows ? path.replaceAll("\\", "/") : path;
}
