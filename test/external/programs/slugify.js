import slugify from "slugify";

export const slugs = () => [slugify("Über die Brücke & zurück!", { lower: true, strict: true, locale: "de" }), slugify("日本 a$b")];
