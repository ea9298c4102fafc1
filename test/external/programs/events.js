import EventEmitter from "eventemitter3";
import mitt from "mitt";

export const emits = () => {
  const seen = [];
  const emitter = new EventEmitter();
  emitter.once("a", (n) => seen.push(n));
  return [emitter.emit("a", 1), emitter.emit("a", 2), seen];
};
export const wildcards = () => {
  const seen = [];
  const bus = mitt();
  bus.on("*", (type, event) => seen.push([type, event]));
  bus.emit("x", 1);
  return seen;
};
