/**
 * A FUSE file system in memory that treats several spellings as one name. The program mounts itself.
 *
 *   node folding-fs.mjs FOLDER case|forms|exact
 *
 * `case` ignores case, Unicode forms and trailing dots, and accepts short names for long ones (`SECRET~1.TXT`), as vfat does;
 * `forms` ignores only Unicode forms; `exact` ignores nothing. Like servers built on libfuse's path API, it gives each spelling its
 * own inode number. Prints `mounted` when ready; unmounts and exits when stdin ends. Needs root, on Linux.
 */

import { spawnSync } from "node:child_process";
import { closeSync, openSync, read, writeSync } from "node:fs";

const [folder, mode] = process.argv.slice(2);
const [ENOENT, EEXIST, ENOTDIR, ENOTEMPTY, ENOSYS] = [2, 17, 20, 39, 38];
const S_IFDIR = 0o040000;
const S_IFREG = 0o100000;
const FOPEN_DIRECT_IO = 1;
const MAX_WRITE = 64 * 1024;

const fold = {
  case: (name) => name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFC").replace(/\.+$/, ""),
  forms: (name) => name.normalize("NFC"),
  exact: (name) => name,
}[mode];

/** Nodes by id. Several ids, one per spelling, can refer to the same node. */
const nodes = new Map();
const root = makeNode(S_IFDIR | 0o755);
nodes.set(1n, root);
let lastId = 1n;

function makeNode(fileMode) {
  return { mode: fileMode, data: Buffer.alloc(0), entries: new Map(), ids: new Map() };
}

function isFolder(node) {
  return (node.mode & 0o170000) === S_IFDIR;
}

/** Returns the entry for a name: `{ name, node }`, stored under the folded name. */
function find(parent, name) {
  const entry = parent.entries.get(fold(name));
  if (entry !== undefined || mode !== "case") return entry;
  return [...parent.entries.values()].find((other) => shortName(other.name) === name.toUpperCase());
}

function shortName(name) {
  const [, stem, end] = /^(.*?)(\.[^.]*)?$/.exec(name.toUpperCase());
  return stem.length > 8 ? `${stem.slice(0, 6)}~1${(end ?? "").slice(0, 4)}` : undefined;
}

function idOf(node, spelling) {
  if (!node.ids.has(spelling)) {
    node.ids.set(spelling, ++lastId);
    nodes.set(lastId, node);
  }
  return node.ids.get(spelling);
}

class Refusal extends Error {
  constructor(errno) {
    super();
    this.errno = errno;
  }
}

function attributes(id, node) {
  const out = Buffer.alloc(88);
  out.writeBigUInt64LE(id, 0);
  out.writeBigUInt64LE(BigInt(node.data.length), 8);
  out.writeUInt32LE(node.mode, 60);
  out.writeUInt32LE(1, 64);
  out.writeUInt32LE(4096, 80);
  return out;
}

function entryOut(node, spelling) {
  const id = idOf(node, spelling);
  const out = Buffer.alloc(40);
  out.writeBigUInt64LE(id, 0);
  return Buffer.concat([out, attributes(id, node)]);
}

function opened() {
  const out = Buffer.alloc(16);
  out.writeUInt32LE(FOPEN_DIRECT_IO, 8);
  return out;
}

function add(parent, name, fileMode) {
  if (find(parent, name) !== undefined) throw new Refusal(EEXIST);
  const node = makeNode(fileMode);
  parent.entries.set(fold(name), { name, node });
  return node;
}

function take(parent, name) {
  const entry = find(parent, name);
  if (entry === undefined) throw new Refusal(ENOENT);
  parent.entries.delete(fold(entry.name));
  return entry;
}

function move(parent, body, at) {
  const target = nodes.get(body.readBigUInt64LE(0));
  const [from, to] = body.subarray(at).toString().split("\0");
  const { node } = take(parent, from);
  const there = find(target, to);
  if (there !== undefined) target.entries.delete(fold(there.name));
  target.entries.set(fold(to), { name: to, node });
}

function list(parent, offset, size) {
  const all = [];
  let length = 0;
  for (const [index, { name, node }] of [...parent.entries.values()].entries()) {
    if (index < offset) continue;
    const bytes = Buffer.from(name);
    const out = Buffer.alloc(24 + Math.ceil(bytes.length / 8) * 8);
    out.writeBigUInt64LE(idOf(node, name), 0);
    out.writeBigUInt64LE(BigInt(index + 1), 8);
    out.writeUInt32LE(bytes.length, 16);
    out.writeUInt32LE(node.mode >> 12, 20);
    bytes.copy(out, 24);
    length += out.length;
    if (length > size) break;
    all.push(out);
  }
  return Buffer.concat(all);
}

const text = (body, at = 0) => body.subarray(at, body.indexOf(0, at)).toString();

/** Operations by opcode (linux/fuse.h). Each returns the answer's body without the header. */
const operations = {
  1: (node, body) => {
    const entry = find(node, text(body));
    if (entry === undefined) throw new Refusal(ENOENT);
    return entryOut(entry.node, text(body));
  },
  3: (node, _body, id) => Buffer.concat([Buffer.alloc(16), attributes(id, node)]),
  4: (node, body, id) => {
    const valid = body.readUInt32LE(0);
    if ((valid & 8) !== 0) node.data = Buffer.concat([node.data, Buffer.alloc(MAX_WRITE)]).subarray(0, Number(body.readBigUInt64LE(16)));
    if ((valid & 1) !== 0) node.mode = (node.mode & 0o170000) | (body.readUInt32LE(68) & 0o7777);
    return Buffer.concat([Buffer.alloc(16), attributes(id, node)]);
  },
  8: (node, body) => entryOut(add(node, text(body, 16), body.readUInt32LE(0)), text(body, 16)),
  9: (node, body) => entryOut(add(node, text(body, 8), S_IFDIR | (body.readUInt32LE(0) & 0o777)), text(body, 8)),
  10: (node, body) => void take(node, text(body)),
  11: (node, body) => {
    const entry = find(node, text(body));
    if (entry === undefined) throw new Refusal(ENOENT);
    if (!isFolder(entry.node)) throw new Refusal(ENOTDIR);
    if (entry.node.entries.size > 0) throw new Refusal(ENOTEMPTY);
    take(node, text(body));
  },
  12: (node, body) => move(node, body, 8),
  14: opened,
  15: (node, body) => {
    const offset = Number(body.readBigUInt64LE(8));
    return node.data.subarray(offset, offset + body.readUInt32LE(16));
  },
  16: (node, body) => {
    const [offset, size] = [Number(body.readBigUInt64LE(8)), body.readUInt32LE(16)];
    const data = Buffer.alloc(Math.max(node.data.length, offset + size));
    node.data.copy(data);
    body.copy(data, offset, 40, 40 + size);
    node.data = data;
    const out = Buffer.alloc(8);
    out.writeUInt32LE(size, 0);
    return out;
  },
  17: () => {
    const out = Buffer.alloc(80);
    out.writeUInt32LE(4096, 40);
    out.writeUInt32LE(255, 44);
    return out;
  },
  18: () => undefined,
  20: () => undefined,
  25: () => undefined,
  26: (_node, body) => {
    const out = Buffer.alloc(64);
    out.writeUInt32LE(7, 0);
    out.writeUInt32LE(31, 4);
    out.writeUInt32LE(body.readUInt32LE(8), 8);
    out.writeUInt32LE(MAX_WRITE, 20);
    out.writeUInt32LE(1, 24);
    return out;
  },
  27: opened,
  28: (node, body) => list(node, Number(body.readBigUInt64LE(8)), body.readUInt32LE(16)),
  29: () => undefined,
  34: () => undefined,
  35: (node, body) => {
    const name = text(body, 16);
    return Buffer.concat([entryOut(add(node, name, S_IFREG | (body.readUInt32LE(4) & 0o777)), name), opened()]);
  },
  38: () => undefined,
  45: (node, body) => move(node, body, 16),
};

/** Opcodes without an answer: forget and interrupt. */
const SILENT = new Set([2, 36, 42]);

function serve(device) {
  const buffer = Buffer.alloc(MAX_WRITE + 4096);
  read(device, buffer, 0, buffer.length, null, (error, length) => {
    // ENODEV means unmounted.
    if (error?.code === "ENODEV") process.exit(0);
    if (error !== null) throw error;
    answer(device, buffer.subarray(0, length));
    serve(device);
  });
}

function answer(device, request) {
  const opcode = request.readUInt32LE(4);
  if (SILENT.has(opcode)) return;
  const id = request.readBigUInt64LE(16);
  const header = Buffer.alloc(16);
  request.copy(header, 8, 8, 16);
  let out = Buffer.alloc(0);
  try {
    const operation = operations[opcode];
    if (operation === undefined) throw new Refusal(ENOSYS);
    out = operation(nodes.get(id), request.subarray(40), id) ?? out;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    header.writeInt32LE(-error.errno, 4);
  }
  header.writeUInt32LE(16 + out.length, 0);
  writeSync(device, Buffer.concat([header, out]));
}

const device = openSync("/dev/fuse", "r+");
const options = `fd=3,rootmode=40000,user_id=0,group_id=0,allow_other,default_permissions`;
const mounting = spawnSync("mount", ["-i", "-t", "fuse", "-o", options, "folding-fs", folder], {
  stdio: ["ignore", "ignore", "pipe", device],
});
if (mounting.status !== 0) {
  process.stderr.write(mounting.stderr);
  closeSync(device);
  process.exit(1);
}
serve(device);
process.stdin.resume();
process.stdin.on("end", () => {
  spawnSync("umount", ["-l", folder]);
  process.exit(0);
});
process.stdout.write("mounted\n");
