import MiniSearch from "minisearch";

const search = new MiniSearch({ fields: ["title", "text"], storeFields: ["title"] });
search.addAll([
  { id: 1, title: "Moby Dick", text: "Call me Ishmael" },
  { id: 2, title: "Zen", text: "motorcycle maintenance" },
]);

export const finds = () => search.search("motrcycle", { fuzzy: 0.2 }).map(({ id, title, terms }) => [id, title, terms]);
export const suggests = () => search.autoSuggest("ish").map(({ suggestion }) => suggestion);
