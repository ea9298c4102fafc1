/** Paths that name the kernel or a device instead of a file; no grant covers them (SPEC C4). */

const UNIX_ROOTS: ReadonlySet<string> = new Set(["proc", "sys", "dev"]);

/** Names that Windows treats as devices in any folder and with any extension, and alternate data streams. */
const WINDOWS_DEVICE = /(^|[\\/])(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.[^\\/]*)?$/i;
const WINDOWS_STREAM = /^.{2}.*:/;

/** Whether a path names the kernel or a device. @param path absolute and normalised. */
export function isKernelPath(path: string, os: "linux" | "darwin" | "windows" | "other"): boolean {
  if (os === "windows") return path.startsWith("//") || path.startsWith("\\\\") || WINDOWS_DEVICE.test(path) || WINDOWS_STREAM.test(path);
  return UNIX_ROOTS.has(path.split("/", 2)[1] ?? "");
}
