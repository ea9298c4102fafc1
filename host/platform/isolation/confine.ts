/**
 * System confinement of a process without root: on Linux by namespaces, if users may create them.
 *
 * A runtime's own permissions bind its JavaScript. An attacker who escapes from the engine into native code is past them and meets this
 * confinement.
 */

import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { cacheFolder } from "../files/cache-folder.ts";

/** `namespaces`: no network, no other process, no files except the runtime, its libraries and bascule's code. `network`: no network. */
type SystemConfinement = "namespaces" | "network" | "none";

/** A command that runs another one under a confinement. */
export interface Confined {
  readonly system: SystemConfinement;
  /** Whether the process and its children are unable to gain privileges by starting other programs. */
  readonly noNewPrivileges: boolean;
  readonly command: (program: string, args: readonly string[]) => readonly [program: string, ...args: string[]];
  readonly cwd: string;
  /** A folder in which nothing can be created, as the process sees it. */
  readonly emptyFolder: string;
}

/** Returns ways to confine, the strongest first. The caller tries which one works. @param readable files that the process needs */
export function confinements(os: NodeJS.Platform, readable: readonly string[]): readonly Confined[] {
  const cwd = emptyFolder();
  const plain: Confined = {
    system: "none",
    noNewPrivileges: false,
    command: (program, args) => [program, ...args],
    cwd,
    emptyFolder: NOWHERE,
  };
  if (os !== "linux") return [plain];
  const [unshare, setpriv, shell] = ["unshare", "setpriv", "sh"].map(findTool);
  if (shell === undefined || setpriv === undefined) return [plain];
  const modest: Confined = {
    ...plain,
    noNewPrivileges: true,
    command: (program, args) => [shell, "-c", MODEST_SCRIPT, "sh", setpriv, "--no-new-privs", "--", program, ...args],
  };
  if (unshare === undefined) return [modest, plain];
  const alone: Confined = {
    ...modest,
    system: "network",
    command: (program, args) => [unshare, "--user", "--map-current-user", "--net", "--", ...modest.command(program, args)],
  };
  const apart: Confined = {
    ...modest,
    system: "namespaces",
    emptyFolder: EMPTY_INSIDE,
    command: (program, args) => {
      const seen = [...LIBRARIES.filter((path) => existsSync(path)), setpriv, program, ...readable];
      return [unshare, ...APART, shell, "-c", APART_SCRIPT, "sh", cwd, ...seen, "--", setpriv, ...NO_POWERS, program, ...args];
    },
  };
  return cwd === "/" ? [alone, modest, plain] : [apart, alone, modest, plain];
}

/** A path below a device, where no folder can ever be created. */
const NOWHERE = "/dev/null/nowhere";
const EMPTY_INSIDE = "/empty";
const TOOL_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/** Folders where the system's loader finds the libraries of runtimes. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/** `--kill-child`: killing `unshare` kills the process too. */
const APART = ["--user", "--map-root-user", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--"];
const NO_POWERS = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"];

/** Closes files that the host's parent process left open in the host. The shell only accepts one-digit numbers. */
const CLOSE_OTHERS = "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-";

/** Prevents core dumps, which would hold the memory, and growing files. */
const MODEST_SCRIPT = `${CLOSE_OTHERS}; ulimit -c 0; ulimit -f 0; exec "$@"`;

/**
 * Builds a root with the named paths, read-only, moves into it and detaches the old one.
 *
 * The limit on user namespaces prevents a process without privileges from gaining some in a namespace of its own.
 */
const APART_SCRIPT = `set -e
${CLOSE_OTHERS}
PATH=/usr/bin:/bin:/usr/sbin:/sbin
root=$1; shift
mount -t tmpfs -o size=1m,mode=0755 none "$root"
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -p "$root$1"
  elif [ ! -e "$root$1" ]; then mkdir -p "$root\${1%/*}"; : >"$root$1"; fi
  mount --bind "$1" "$root$1"
  mount -o remount,bind,ro,nosuid,nodev "$root$1"
  shift
done
shift
mkdir "$root/.old" "$root${EMPTY_INSIDE}" "$root/proc"
mount -t proc -o nosuid,nodev,noexec none "$root/proc"
echo 1 >"$root/proc/sys/user/max_user_namespaces"
cd "$root"
pivot_root . .old
PATH=/.old/usr/bin:/.old/bin:/.old/usr/sbin:/.old/sbin
mount -o remount,ro /proc
mount -o remount,ro /
umount -l /.old
cd ${EMPTY_INSIDE}
ulimit -c 0
ulimit -f 0
unset PWD OLDPWD
exec "$@"`;

/** Finds a tool in a fixed list of folders: `PATH` belongs to the user, and may name a folder that a tool can write to. */
export function findTool(name: string): string | undefined {
  return TOOL_FOLDERS.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
}

/** Returns an empty folder to work in and to mount on; `/` if none can be made. */
function emptyFolder(): string {
  for (const folder of [cacheFolder("empty"), `${tmpdir()}/bascule-empty`]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o500 });
      return folder;
    } catch {
      // A read-only home: try the next folder.
    }
  }
  return "/";
}
