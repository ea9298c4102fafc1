import { parse } from "csv-parse/browser/esm/sync";

export const parses = () => parse('a,b\n1,"x\ny"\n', { columns: true, cast: true });
export const complains = () => parse("a,b\n1\n");
