import { DomUtils, Parser, parseDocument } from "htmlparser2";

export const streams = () => {
  const seen = [];
  const parser = new Parser({
    onopentag: (name, attributes) => void seen.push([name, attributes]),
    ontext: (text) => void seen.push(text),
  });
  parser.write("<p class=a>x &amp; y<br>");
  parser.end();
  return seen;
};
export const documents = () => DomUtils.getOuterHTML(parseDocument("<div><p>a</div>"));
