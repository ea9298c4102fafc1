import { marked } from "marked";

export const renders = () => marked.parse("# Title\n\n- a\n- **b**\n\n| x | y |\n|---|--:|\n| 1 | 2 |\n\n```js\nlet a = 1 < 2;\n```\n");
export const links = () => marked.parseInline('[a](https://b.c "t") and `code`');
export const lexes = () => marked.lexer("> quote\n\ntext").map((token) => token.type);
