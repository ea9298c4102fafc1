import ejs from "ejs";

export const renders = () => ejs.render("<% for (const x of xs) { %>[<%= x %>]<% } %>", { xs: [1, "<"] });
export const complains = () => ejs.render("<%= missing %>", {});
