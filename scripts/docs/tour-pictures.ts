/**
 * `npm run docs -- --pictures`: makes the pictures of the tour. Runs its commands in an empty folder, each in a terminal of its own, and draws
 * what the terminal shows. Needs `script` of util-linux, which opens the terminals.
 */

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { REPOSITORY } from "../run-command.ts";
import { COLUMNS, terminalPicture } from "./terminal-picture.ts";

/** Longest time of one command; only a broken one reaches it. */
const DEADLINE_MS = 60_000;
/** Folder that pictures show in place of the temporary one. */
const SHOWN_FOLDER = "/home/ada/tour";

interface Shot {
  readonly command: string;
  /** A text of the output, and what the user types then. */
  readonly answer?: readonly [seen: string, typed: string];
  /** A text after which the picture is taken while the command continues to run. */
  readonly until?: string;
  /** False if the command is run, and not shown. */
  readonly shown?: boolean;
}

const CALL = 'bascule call diary_append path=DIARY.md entry="Met the moon"';

/** The pictures, in the order in which they are taken. */
const PICTURES: readonly { readonly file: string; readonly shots: readonly Shot[] }[] = [
  {
    file: "dev.svg",
    shots: [
      { command: "bascule init diary --template=write-files", shown: false },
      { command: "bascule dev", until: "Press Ctrl-C" },
    ],
  },
  {
    file: "grant.svg",
    shots: [
      { command: CALL, answer: ["[n]o", "n"] },
      { command: "bascule grant diary --allow-read=DIARY.md --allow-write=DIARY.md" },
      { command: `${CALL} --dry-run < /dev/null` },
    ],
  },
  {
    file: "confirm.svg",
    shots: [
      { command: CALL, answer: ["Allow it?", "y"] },
      { command: "cat DIARY.md" },
      { command: "bascule undo", answer: ["[y/N]", "y"] },
    ],
  },
];

/** Where the pages have them. */
export const TOUR_FOLDER: string = `${REPOSITORY}docs/tour/`;

/**
 * Writes every picture.
 *
 * @param target a folder with a slash at its end
 * @throws {Error} if a command does not print what it is expected to in time
 */
export async function makeTourPictures(target: string): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "bascule-tour-"));
  const folder = join(home, "tour");
  for (const name of ["tour", "bin"]) mkdirSync(join(home, name));
  symlinkSync(`${REPOSITORY}bin/bascule.mjs`, join(home, "bin/bascule"));
  writeFileSync(join(folder, "README.md"), "# Title\n\nSome words.\n");
  mkdirSync(target, { recursive: true });
  const ender = new AbortController();
  const ended: Promise<unknown>[] = [];
  try {
    for (const { file, shots } of PICTURES) {
      let screen = "";
      for (const shot of shots) {
        const output = await inTerminal(shot, { home, folder, signal: ender.signal, ended });
        const typed = shot.command.replace(" < /dev/null", "");
        if (shot.shown !== false) screen += `\x1b[34;1m$\x1b[0m \x1b[1m${typed}\x1b[0m\r\n${output.trimEnd()}\r\n\r\n`;
      }
      writeFileSync(target + file, await terminalPicture(screen.replaceAll(folder, SHOWN_FOLDER), "tour"));
    }
  } finally {
    ender.abort();
    await Promise.all(ended);
    rmSync(home, { recursive: true, force: true });
  }
}

interface Place {
  readonly home: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Receives the end of each command. */
  readonly ended: Promise<unknown>[];
}

/** Returns the output until the command ends, or until the text that the shot waits for; the command then runs until the signal. */
function inTerminal({ command, answer, until }: Shot, { home, folder, signal, ended }: Place): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const path = [join(home, "bin"), `${REPOSITORY}node_modules/.bin`, process.env["PATH"] ?? ""].join(delimiter);
  const child = spawn("script", ["-qefc", `stty cols ${COLUMNS} rows 40; exec ${command}`, "/dev/null"], {
    cwd: folder,
    env: { HOME: home, PATH: path, TERM: "xterm-256color", COLORTERM: "truecolor", LANG: "C.UTF-8" },
    stdio: ["pipe", "pipe", "ignore"],
  });
  let output = "";
  let isAnswered = false;
  const deadline = setTimeout(() => {
    child.kill();
    reject(new Error(`"${command}" did not end in time:\n${output}`));
  }, DEADLINE_MS);
  ended.push(new Promise((end) => child.once("close", end)));
  // Ctrl-C, so that a host ends before its folder is removed.
  signal.addEventListener("abort", () => child.exitCode ?? child.stdin.write("\x03"), { once: true });
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    output += text;
    if (answer !== undefined && !isAnswered && output.includes(answer[0])) {
      isAnswered = true;
      child.stdin.write(`${answer[1]}\n`);
    }
    if (until !== undefined && output.includes(until)) finish();
  });
  child.on("error", reject);
  child.on("close", () => finish());
  return promise;

  function finish(): void {
    clearTimeout(deadline);
    resolve(output);
  }
}
