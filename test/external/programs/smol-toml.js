import { parse, stringify } from "smol-toml";

export const parses = () => parse('title = "x"\n[a.b]\nn = 1_000\nat = 1979-05-27T07:32:00Z\n[[c]]\nd = 1\n');
export const writes = () => stringify({ a: { b: [1, 2] }, c: [{ d: "e" }] });
export const complains = () => parse("a = ");
