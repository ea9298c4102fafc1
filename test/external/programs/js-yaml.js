import { dump, load } from "js-yaml";

export const parses = () => load("a: 2024-01-01\nb:\n  - x\n  - ~\n");
export const writes = () => dump({ a: [1, "two", null], d: new Date(0) }, { indent: 4 });
export const complains = () => load("a: b: c");
