import { z } from "zod";

const user = z.object({ name: z.string().min(2), age: z.coerce.number().int().optional(), tags: z.array(z.string()).default([]) });

export const parses = () => user.parse({ name: "Ada", age: "36" });
export const explains = () => user.safeParse({ name: "A", age: 1.5 }).error.issues;
export const describes = () => z.toJSONSchema(user);
export const unions = () =>
  z
    .discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b"), n: z.number() })])
    .parse({ kind: "b", n: 1 });
export const formats = () => [
  z.email().safeParse("a@b.co").success,
  z.uuid().safeParse("x").success,
  z.iso.date().safeParse("2024-02-30").success,
];
export const transforms = async () =>
  await z
    .string()
    .transform(async (text) => text.length)
    .parseAsync("four");
