import { deflate, gzip, inflate, ungzip } from "pako";

export const deflates = () => [...deflate("aaaaaaaaaabbbbbbbbbb")];
export const inflates = () => inflate(deflate("text ".repeat(50)), { to: "string" }).length;
export const gzips = () => ungzip(gzip("x".repeat(1000)), { to: "string" }).length;
