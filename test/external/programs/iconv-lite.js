import iconv from "iconv-lite";

export const decodes = () => iconv.decode(new Uint8Array([0xe4, 0xf6, 0xfc]), "win1252");
export const encodes = () => [...iconv.encode("日本", "shift_jis")];
