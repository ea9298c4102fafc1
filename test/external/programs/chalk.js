import { Chalk } from "chalk";

const chalk = new Chalk({ level: 3 });

export const colours = () => chalk.bold.hex("#ff8800")("x") + chalk.bgBlue`y`;
export const nests = () => chalk.red("a", chalk.blue("b"), "c");
