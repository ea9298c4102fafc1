import { gunzipSync, gzipSync, strFromU8, strToU8, unzipSync, zipSync } from "fflate";

export const gzips = () => strFromU8(gunzipSync(gzipSync(strToU8("hello ".repeat(200)))));
export const zips = () =>
  Object.entries(unzipSync(zipSync({ "a/b.txt": strToU8("x"), c: strToU8("y".repeat(500)) }))).map(([name, bytes]) => [name, bytes.length]);
