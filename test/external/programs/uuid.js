import { parse, v4, v5, v7, validate, version } from "uuid";

export const names = () => v5("bascule", v5.URL);
export const versions = () => [version(v4()), version(v7()), validate(v4())];
export const bytes = () => [...parse("6ba7b810-9dad-11d1-80b4-00c04fd430c8")];
