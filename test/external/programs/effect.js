import { Effect, Option, Schema, pipe } from "effect";

export const runs = () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const a = yield* Effect.succeed(1);
      const b = yield* Effect.promise(() => Promise.resolve(2));
      return a + b;
    }),
  );
export const fails = () => Effect.runSync(Effect.flip(Effect.fail("no")));
export const options = () =>
  pipe(
    Option.some(2),
    Option.map((n) => n * 2),
    Option.getOrElse(() => 0),
  );
export const schemas = () => Schema.decodeUnknownSync(Schema.Struct({ a: Schema.Number }))({ a: 1 });
