import Handlebars from "handlebars";

export const renders = () =>
  Handlebars.compile("{{#each people}}{{@index}}: {{name}}{{#unless @last}}, {{/unless}}{{/each}}")({
    people: [{ name: "A" }, { name: "<B>" }],
  });
export const helps = () => {
  const own = Handlebars.create();
  own.registerHelper("loud", (text) => text.toUpperCase());
  own.registerPartial("p", "({{loud x}})");
  return own.compile("{{> p x=y}}")({ y: "hi" });
};
export const complains = () => Handlebars.compile("{{#if}}")({});
