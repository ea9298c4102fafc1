import deepmerge from "deepmerge";
import equal from "fast-deep-equal";
import * as he from "he";
import ini from "ini";
import { minimatch } from "minimatch";
import { match, parse } from "path-to-regexp";

export const merges = () => deepmerge({ a: [1], b: { c: 1 } }, { a: [2], b: { d: 2 } });
export const compares = () => [equal({ a: [/x/g, 1] }, { a: [/x/g, 1] }), equal([1], [2])];
export const entities = () => [he.encode("<é>", { useNamedReferences: true }), he.decode("&eacute;&#x1F600;")];
export const settings = () => [ini.parse("a=1\n[b]\nc[]=x\nc[]=y"), ini.stringify({ a: 1, b: { c: true } })];
export const globs = () => [minimatch("src/a/b.test.ts", "src/**/*.{test,spec}.ts"), minimatch(".x", "*")];
export const routes = () => [match("/users/:id{.:format}")("/users/7.json"), parse("/a/*rest").tokens];
