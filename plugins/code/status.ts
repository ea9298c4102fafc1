/** Reads `git status --porcelain=v2 --branch -z` (https://git-scm.com/docs/git-status#_porcelain_format_version_2). */

/** One changed file. */
export interface ChangedFile {
  readonly path: string;
  readonly from?: string;
  readonly staged?: string;
  readonly unstaged?: string;
}

export interface Status {
  readonly branch?: string;
  readonly upstream?: string;
  readonly ahead?: number;
  readonly behind?: number;
  readonly files: readonly ChangedFile[];
}

const CHANGES: Readonly<Record<string, string>> = { M: "modified", A: "added", D: "deleted", R: "renamed", C: "copied", T: "type changed" };
/** Number of fields before the path. */
const FIELDS: Readonly<Record<string, number>> = { "1": 8, "2": 9, u: 10 };

export function parseStatus(text: string): Status {
  const files: ChangedFile[] = [];
  let head: Omit<Status, "files"> = {};
  const entries = text.split("\0");
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] ?? "";
    const kind = entry[0] ?? "";
    if (kind === "#") head = { ...head, ...readHeader(entry) };
    else if (kind === "?") files.push({ path: entry.slice(2), unstaged: "untracked" });
    else if (FIELDS[kind] !== undefined) {
      const words = entry.split(" ");
      const path = words.slice(FIELDS[kind]).join(" ");
      // The old name follows.
      const from = kind === "2" ? { from: entries[++index] ?? "" } : {};
      files.push(kind === "u" ? { path, unstaged: "conflict" } : { path, ...from, ...readChange(words[1] ?? "") });
    }
  }
  return { ...head, files };
}

function readHeader(entry: string): Omit<Status, "files"> {
  const [, name, ...words] = entry.split(" ");
  const value = words.join(" ");
  if (name === "branch.head" && value !== "(detached)") return { branch: value };
  if (name === "branch.upstream") return { upstream: value };
  const counts = name === "branch.ab" ? /^\+(\d+) -(\d+)$/.exec(value) : null;
  return counts === null ? {} : { ahead: Number(counts[1]), behind: Number(counts[2]) };
}

/** `XY` columns: status in the index and in the working tree. */
function readChange(letters: string): Pick<ChangedFile, "staged" | "unstaged"> {
  const [staged, unstaged] = [CHANGES[letters[0] ?? ""], CHANGES[letters[1] ?? ""]];
  return { ...(staged !== undefined && { staged }), ...(unstaged !== undefined && { unstaged }) };
}
