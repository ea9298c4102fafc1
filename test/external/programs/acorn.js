import { parse, tokenizer } from "acorn";

export const parses = () => parse("const a = (b, ...c) => b ?? c?.[0];", { ecmaVersion: "latest" });
export const tokens = () => [...tokenizer("let x = /re/g", { ecmaVersion: 2024 })].map((token) => token.type.label);
export const complains = () => parse("let = 1 +", { ecmaVersion: 2024, sourceType: "module" });
