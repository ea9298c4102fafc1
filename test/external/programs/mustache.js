import Mustache from "mustache";

export const renders = () =>
  Mustache.render("{{#items}}<{{name}}>{{^last}}, {{/last}}{{/items}}{{{raw}}}", {
    items: [{ name: "a" }, { name: "b&", last: true }],
    raw: "<b>",
  });
export const partials = () => Mustache.render("{{>p}}", { x: 1 }, { p: "[{{x}}]" });
