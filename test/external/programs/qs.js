import qs from "qs";

export const parses = () => qs.parse("a[b][c]=1&d[]=2&d[]=3&e.f=4", { allowDots: true });
export const writes = () => qs.stringify({ a: { b: [1, 2] }, c: "x y", d: null }, { arrayFormat: "brackets" });
