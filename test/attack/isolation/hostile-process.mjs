/**
 * Runs instead of the sandbox's process and tries everything that an attacker who has taken it over would, in JavaScript. Reports
 * for each attempt its result or its refusal. Plain JavaScript without imports of bascule.
 */
import childProcess from "node:child_process";
import dgram from "node:dgram";
import fs from "node:fs";
import net from "node:net";
import { Worker } from "node:worker_threads";

const { secretFile, folder, port, socket, hostPid } = JSON.parse(process.argv[2]);
const isDeno = "Deno" in globalThis;

const ATTEMPTS = {
  "read /etc/passwd": () => fs.readFileSync("/etc/passwd", "utf8"),
  "read /etc/passwd by a process": () => fs.readFileSync("/proc/self/root/etc/passwd", "utf8"),
  "read a file of the workspace": () => fs.readFileSync(secretFile, "utf8"),
  "read it through the host's process": () => fs.readFileSync(`/proc/${hostPid}/root${secretFile}`, "utf8"),
  "list the workspace": () => fs.readdirSync(folder).join(),
  "read the host's environment": () => fs.readFileSync(`/proc/${hostPid}/environ`, "utf8"),
  "write a file here": () => fs.writeFileSync("x", "x"),
  "write a file of the workspace": () => fs.writeFileSync(`${folder}/planted`, "x"),
  "link to it": () => fs.symlinkSync(secretFile, `${folder}/link`),
  "read it in a worker": () => inWorker(`require("node:fs").readFileSync(${JSON.stringify(secretFile)}, "utf8")`),
  "connect to a local server": () => connect({ host: "127.0.0.1", port }),
  "connect to a local socket": () => connect({ path: socket }),
  "fetch from a local server": async () => (await fetch(`http://127.0.0.1:${port}/`)).status,
  "send a datagram": () => sendDatagram(),
  "start a shell": () => mustStart("/bin/sh", ["-c", "echo started"]),
  "start itself again": () => mustStart(process.execPath, ["--version"]),
  "start a process as the runtime does": () => (isDeno ? new Deno.Command("/bin/sh").outputSync().code : spawnByBinding()),
  "signal the host": () => process.kill(hostPid, 0),
  "load native code": () =>
    isDeno ? Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {}) : process.dlopen({ exports: {} }, "/lib/x86_64-linux-gnu/libc.so.6"),
  "see a variable of the host's": () => secretVariable(),
};

function secretVariable() {
  const seen = isDeno ? Deno.env.toObject() : process.env;
  const value = seen.BASCULE_TEST_SECRET ?? seen.HOME ?? seen.PATH;
  if (value === undefined) throw new Error("Variable not found");
  return value;
}

function mustStart(program, args) {
  const { error, status, stdout } = childProcess.spawnSync(program, args);
  if (error !== undefined || status !== 0) throw error ?? new Error(`Exit ${status}`);
  return String(stdout);
}

function spawnByBinding() {
  const { error } = process.binding("spawn_sync").spawn({
    file: "/bin/sh",
    args: ["sh", "-c", "exit 0"],
    envPairs: [],
    stdio: [{ type: "ignore" }, { type: "ignore" }, { type: "ignore" }],
  });
  if (error) throw new Error(`Error ${error}`);
  return "started";
}

function connect(options) {
  return new Promise((resolve, reject) => {
    const connection = net.connect(options, () => resolve("connected"));
    connection.on("error", reject);
  });
}

function sendDatagram() {
  return new Promise((resolve, reject) => {
    const from = dgram.createSocket("udp4");
    from.on("error", reject);
    from.send("x", port, "127.0.0.1", (error) => (error ? reject(error) : resolve("sent")));
  });
}

function inWorker(expression) {
  const code = `const { parentPort } = require("node:worker_threads");
try { parentPort.postMessage({ got: String(${expression}) }); } catch (error) { parentPort.postMessage({ refused: String(error) }); }`;
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, { eval: true, execArgv: [], env: {} });
    worker.on("message", ({ got, refused }) => (refused === undefined ? resolve(got) : reject(new Error(refused))));
    worker.on("error", reject);
    worker.on("exit", () => reject(new Error("The worker ended")));
  });
}

/** Rejects the current attempt if a runtime throws outside of the call. */
let refuseCurrent = () => {};
process.on("uncaughtException", (error) => refuseCurrent(error));

const results = {};
for (const [name, attempt] of Object.entries(ATTEMPTS)) {
  try {
    const beside = new Promise((_resolve, reject) => (refuseCurrent = reject));
    const got = await Promise.race([attempt(), beside]);
    results[name] = `got ${String(got).slice(0, 40)}`;
  } catch {
    results[name] = "refused";
  }
}
fs.writeSync(1, JSON.stringify(results));
process.exit(0);
