import MarkdownIt from "markdown-it";

export const renders = () =>
  new MarkdownIt({ linkify: true, typographer: true }).render('# "Title"\n\nSee https://a.b/c (c)\n\n1. one\n2. two\n');
export const rules = () => new MarkdownIt().disable("emphasis").renderInline("*no* emphasis");
