/** Parts of TypeBox schemas: of answers, requests, and their simple members. */

import { type TObject, type TProperties, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import type { JsonValue } from "../../../manifests/mod.ts";

/** Schema of an answer. It may have more members; clients must ignore unknown ones. */
export const some = (properties: TProperties): TObject => Type.Object(properties);
/** Schema of a request. Unknown members are refused, so that misspellings are noticed. */
export const closed = (properties: TProperties): TObject => Type.Object(properties, { additionalProperties: false });
export const oneOf = (values: readonly string[], about?: string): TUnsafe<string> =>
  Type.Unsafe<string>({ type: "string", enum: values, ...(about !== undefined && { description: about }) });

export const ANY: TUnsafe<JsonValue> = Type.Unsafe<JsonValue>({});
export const OBJECT: TSchema = Type.Unsafe({ type: "object" });
export const NAME: TSchema = Type.String({ minLength: 1, maxLength: 256 });
export const ID: TSchema = Type.String({ minLength: 1, maxLength: 64 });
export const TEXT: TSchema = Type.String();
export const TEXTS: TSchema = Type.Array(TEXT);
export const MILLISECONDS: TSchema = Type.Number({ description: "Milliseconds" });
export const TIME: TSchema = Type.Number({ description: "Milliseconds since the epoch" });

/** Schema of an object with a list as its only member. */
export const listed = (name: string, item: TSchema): TSchema => some({ [name]: Type.Array(item) });
