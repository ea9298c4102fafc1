/** Texts as vectors, and how near these are to one another. */

import { isObject, post, type Told } from "./endpoint.ts";

/** Of one request: what endpoints take. */
const BATCH = 64;
const MAX_DIMENSIONS = 8_192;

/** A vector for each text, in their order. @throws {Error} if the endpoint answers anything else. */
export async function embed(texts: readonly string[], context: Told, dimensions?: number): Promise<readonly (readonly number[])[]> {
  const vectors: (readonly number[])[] = [];
  for (let at = 0; at < texts.length; at += BATCH) {
    const input = texts.slice(at, at + BATCH);
    const body = {
      model: context.settings.embeddingModel,
      input,
      encoding_format: "float",
      ...(dimensions !== undefined && { dimensions }),
    };
    vectors.push(...readVectors(await post("embeddings", body, context), input.length));
  }
  const [first = []] = vectors;
  if (vectors.some(({ length }) => length !== first.length)) throw new Error("The endpoint answered vectors of different lengths");
  return vectors;
}

function readVectors(answer: unknown, count: number): readonly (readonly number[])[] {
  const data = isObject(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data) || data.length !== count) throw new Error(`The endpoint answered no list of ${count} embeddings`);
  const byIndex = new Map<number, readonly number[]>();
  for (const [place, entry] of (data as readonly unknown[]).entries()) {
    if (!isObject(entry)) throw new Error("The endpoint answered an embedding that is no object");
    const { index = place, embedding } = entry;
    if (typeof index !== "number" || !isVector(embedding)) throw new Error("The endpoint answered an embedding that is no list of numbers");
    byIndex.set(index, embedding);
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = byIndex.get(index);
    if (vector === undefined) throw new Error(`The endpoint answered no embedding of text ${index + 1}`);
    return vector;
  });
}

function isVector(value: unknown): value is readonly number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_DIMENSIONS &&
    value.every((part) => typeof part === "number" && Number.isFinite(part))
  );
}

/** The cosine of the angle between two vectors: 1 for the same direction, 0 for none in common. */
export function similarity(left: readonly number[], right: readonly number[]): number {
  let [product, leftSquare, rightSquare] = [0, 0, 0];
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? 0;
    product += part * other;
    leftSquare += part * part;
    rightSquare += other * other;
  }
  return leftSquare === 0 || rightSquare === 0 ? 0 : product / Math.sqrt(leftSquare * rightSquare);
}
