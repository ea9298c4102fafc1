import Fuse from "fuse.js";

export const finds = () =>
  new Fuse([{ title: "Old Man's War" }, { title: "The Lock Artist" }], { keys: ["title"], includeScore: true })
    .search("lok")
    .map(({ item, refIndex }) => [item.title, refIndex]);
