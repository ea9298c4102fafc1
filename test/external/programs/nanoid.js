import { customAlphabet, nanoid } from "nanoid";

export const makes = () => /^[\w-]{21}$/.test(nanoid());
export const differs = () => new Set(Array.from({ length: 100 }, () => nanoid(12))).size;
export const alphabets = () => /^[abc]{8}$/.test(customAlphabet("abc", 8)());
