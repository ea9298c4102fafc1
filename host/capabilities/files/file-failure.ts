/** Maps file errors to Deno's error names, codes and wording. */

import type { HostAnswer } from "../../../sandbox/mod.ts";
import type { FileError, FileErrorCode } from "../../platform/platform.ts";
import { failure } from "../answer.ts";
import type { Malformed } from "../checked.ts";

interface Wording {
  readonly name: string;
  readonly code?: string;
  readonly text: string;
}

/** Names come from `Deno.errors` if it has one; error numbers are those of Linux. */
const WORDINGS: Readonly<Record<FileErrorCode, Wording>> = {
  not_found: { name: "NotFound", code: "ENOENT", text: "No such file or directory (os error 2)" },
  already_exists: { name: "AlreadyExists", code: "EEXIST", text: "File exists (os error 17)" },
  not_a_directory: { name: "NotADirectory", code: "ENOTDIR", text: "Not a directory (os error 20)" },
  is_a_directory: { name: "IsADirectory", code: "EISDIR", text: "Is a directory (os error 21)" },
  not_empty: { name: "Error", code: "ENOTEMPTY", text: "Directory not empty (os error 39)" },
  permission_denied: { name: "PermissionDenied", code: "EACCES", text: "Permission denied (os error 13)" },
  not_capable: { name: "NotCapable", text: "Leads outside of what is granted" },
  not_regular: { name: "NotCapable", text: "Devices, FIFOs, sockets and the kernel's files are never granted" },
  symlink_loop: { name: "FilesystemLoop", code: "ELOOP", text: "Too many levels of symbolic links (os error 40)" },
  name_too_long: { name: "Error", code: "ENAMETOOLONG", text: "File name too long (os error 36)" },
  too_large: { name: "Error", code: "EFBIG", text: "File too large (os error 27)" },
  no_space: { name: "Error", code: "ENOSPC", text: "No space left on device (os error 28)" },
  invalid_path: { name: "TypeError", code: "EINVAL", text: "Invalid argument (os error 22)" },
  interrupted: { name: "Interrupted", code: "EINTR", text: "Interrupted system call (os error 4)" },
  busy: { name: "Busy", code: "EBUSY", text: "Resource busy (os error 16)" },
  other: { name: "Error", text: "File operation failed" },
};

/** @param subject the act in Deno's form: `readfile 'a'`, `rename 'a' -> 'b'` */
export function fileFailure(code: FileErrorCode, subject: string): HostAnswer {
  const { name, code: errno, text } = WORDINGS[code];
  return failure(name, `${text}: ${subject}`, errno);
}

/** Returns the failure for a text that is not a valid path. */
export function malformedFailure(reason: Malformed, subject: string): HostAnswer {
  switch (reason) {
    case "empty":
      return fileFailure("not_found", subject);
    case "too_long":
      return fileFailure("name_too_long", subject);
    case "nul":
      return failure("TypeError", `file name contained an unexpected NUL byte: ${subject}`, "EINVAL");
    case "not_text":
      return failure("TypeError", `file name is not valid Unicode: ${subject}`, "EINVAL");
  }
}

/** Returns whether the grant refused, not the operating system. */
export function isRefusal(error: FileError): boolean {
  return error.code === "not_capable" || error.code === "not_regular";
}
