/**
 * What the system itself can take from a process, without root: on Linux by namespaces, where it lets users make them.
 *
 * A runtime's own permissions hold for its JavaScript. Who escapes from the engine into native code is past them, and
 * meets this.
 */

import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { cacheFolder } from "../files/cache-folder.ts";

/** `namespaces`: no network, no other process, no file but the runtime, its libraries and our code. `network`: no network. */
export type SystemConfinement = "namespaces" | "network" | "none";

/** A command that runs another one under a confinement. */
export interface Confined {
  readonly system: SystemConfinement;
  /** It and its children can gain nothing by starting other programs. */
  readonly noNewPrivileges: boolean;
  readonly command: (program: string, args: readonly string[]) => readonly [program: string, ...args: string[]];
  readonly cwd: string;
  /** A folder where nothing can be made, as the process sees it. */
  readonly emptyFolder: string;
}

/** Ways to confine, the strongest first; whether one works here is for a trial to tell. @param readable what the process needs */
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

/** Below what is no folder, so that nobody can make it one. */
const NOWHERE = "/dev/null/nowhere";
const EMPTY_INSIDE = "/empty";
const TOOL_FOLDERS = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/** Where the system's loader looks for what runtimes are linked with. */
const LIBRARIES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"];

/** `--kill-child`: whoever ends `unshare` ends the process, too. */
const APART = ["--user", "--map-root-user", "--net", "--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child", "--"];
const NO_POWERS = ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"];

/** What was left open in the host by whoever started it; the shell knows numbers of one digit only. */
const CLOSE_OTHERS = "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-";

/** No core dump holds what was in memory; no file grows. */
const MODEST_SCRIPT = `${CLOSE_OTHERS}; ulimit -c 0; ulimit -f 0; exec "$@"`;

/**
 * Makes a root that holds what was named, read-only, moves into it and lets go of the old one.
 *
 * The limit on user namespaces keeps a process without powers from gaining some in a namespace of its own.
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

/** By a fixed list: `PATH` is the user's, and may name a folder that a tool writes to. */
function findTool(name: string): string | undefined {
  return TOOL_FOLDERS.map((folder) => `${folder}/${name}`).find((path) => existsSync(path));
}

/** An empty folder to work in, and to mount on; `/` where none can be made. */
function emptyFolder(): string {
  for (const folder of [cacheFolder("empty"), `${tmpdir()}/bascule-empty`]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o500 });
      return folder;
    } catch {
      // A read-only home: the next one.
    }
  }
  return "/";
}
