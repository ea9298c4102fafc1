// Preloaded with `--import`: notes in the file of NOTE_LOADED which files the process loads, how many
// threads it starts, and which of Node's modules it has at its end.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const files = [];
let workers = 0;
process.on("worker", () => (workers += 1));
registerHooks({
  load(url, context, next) {
    if (url.startsWith("file:")) files.push(url);
    return next(url, context);
  },
});
process.on("exit", () => {
  const builtin = process.moduleLoadList.flatMap((name) => (name.startsWith("NativeModule ") ? [name.slice("NativeModule ".length)] : []));
  writeFileSync(process.env.NOTE_LOADED, JSON.stringify({ files, workers, builtin }));
});
