import { XMLBuilder, XMLParser, XMLValidator } from "fast-xml-parser";

export const parses = () => new XMLParser({ ignoreAttributes: false }).parse('<a x="1"><b>2</b><b>&lt;3</b><c/></a>');
export const builds = () => new XMLBuilder({ format: true }).build({ a: { b: [1, "<"], c: "" } });
export const validates = () => [XMLValidator.validate("<a></a>"), XMLValidator.validate("<a><b></a>")];
