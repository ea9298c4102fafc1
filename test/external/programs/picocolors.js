import pc from "picocolors";

export const colours = () => pc.createColors(true).red(`a ${pc.createColors(true).bold("b")} c`);
export const plain = () => pc.createColors(false).green("x");
