import { enableMapSet, enablePatches, produce, produceWithPatches } from "immer";

enablePatches();
enableMapSet();
const before = { list: [{ done: false }], n: 1 };

export const changes = () => produce(before, (draft) => void (draft.list[0].done = true));
export const shares = () => {
  const after = produce(before, (draft) => void draft.n++);
  return [after.list === before.list, after.n, before.n, Object.isFrozen(after)];
};
export const patches = () => produceWithPatches(before, (draft) => void draft.list.push({ done: true })).slice(1);
export const maps = () => [...produce(new Map([["a", { n: 1 }]]), (draft) => void draft.get("a").n++)];
