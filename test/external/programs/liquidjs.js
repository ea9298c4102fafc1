import { Liquid } from "liquidjs";

const engine = new Liquid();

export const renders = () =>
  engine.parseAndRender("{% for x in xs %}{{ forloop.index }}:{{ x | upcase }} {% endfor %}", { xs: ["a", "b"] });
export const filters = () => engine.parseAndRender('{{ "2024-01-31" | date: "%b %d, %Y" }} {{ "a,b" | split: "," | join: "-" }}');
