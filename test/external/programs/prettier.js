import * as estree from "prettier/plugins/estree";
import * as babel from "prettier/plugins/babel";
import * as markdown from "prettier/plugins/markdown";
import { format } from "prettier/standalone";

export const code = () => format("const a={b:1,c:[1,2,3]};function  f( x ){return x}", { parser: "babel", plugins: [babel, estree] });
export const prose = () => format("* a\n* b\n\ntext   text", { parser: "markdown", plugins: [markdown] });
