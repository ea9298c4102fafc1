import hljs from "highlight.js/lib/core";
import javascript from "highlight.js/lib/languages/javascript";

hljs.registerLanguage("javascript", javascript);

export const highlights = () => hljs.highlight("const a = `x ${1}`; // note", { language: "javascript" }).value;
