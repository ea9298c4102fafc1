import * as v from "valibot";

const schema = v.object({ email: v.pipe(v.string(), v.email()), n: v.optional(v.number(), 3) });

export const parses = () => v.parse(schema, { email: "a@b.co" });
export const explains = () => v.flatten(v.safeParse(schema, { email: "x", n: "1" }).issues);
export const variants = () => v.is(v.variant("k", [v.object({ k: v.literal(1) }), v.object({ k: v.literal(2) })]), { k: 2 });
