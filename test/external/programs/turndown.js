import TurndownService from "turndown";

export const rules = () => new TurndownService({ headingStyle: "atx" }).escape("1. *a* _b_");
export const converts = () =>
  new TurndownService({ headingStyle: "atx" }).turndown("<h1>Hi</h1><p>a <b>b</b> <a href='x'>c</a></p><ul><li>1</li></ul>");
