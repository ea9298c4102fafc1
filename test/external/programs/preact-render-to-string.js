import { createContext, h } from "preact";
import { useContext, useState } from "preact/hooks";
import { render } from "preact-render-to-string";

const Theme = createContext("light");
const Item = ({ children }) => {
  const [count] = useState(2);
  return h("li", { class: useContext(Theme), style: { color: "red" }, hidden: true }, children, count);
};

export const renders = () =>
  render(
    h(
      Theme.Provider,
      { value: "dark" },
      h(
        "ul",
        null,
        h(Item, null, "a & b"),
        [1, 2].map((n) => h("b", { key: n }, n)),
      ),
    ),
  );
