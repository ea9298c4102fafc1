/** Converts texts to vectors, and compares these. */

import { isObject, post, type Told } from "./endpoint.ts";

/** Maximum texts in one request, as endpoints accept. */
const BATCH = 64;
const MAX_DIMENSIONS = 8_192;

/** Returns a vector for each text, in order. @throws {Error} if the endpoint's answer has another shape. */
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
  if (vectors.some(({ length }) => length !== first.length)) throw new Error("The endpoint's vectors differ in length");
  return vectors;
}

function readVectors(answer: unknown, count: number): readonly (readonly number[])[] {
  const data = isObject(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data) || data.length !== count) throw new Error(`The endpoint's answer is not a list of ${count} embeddings`);
  const byIndex = new Map<number, readonly number[]>();
  for (const [place, entry] of (data as readonly unknown[]).entries()) {
    if (!isObject(entry)) throw new Error("An embedding in the endpoint's answer is not an object");
    const { index = place, embedding } = entry;
    if (typeof index !== "number" || !isVector(embedding))
      throw new Error("An embedding in the endpoint's answer is not a list of numbers");
    byIndex.set(index, embedding);
  }
  return Array.from({ length: count }, (_, index) => {
    const vector = byIndex.get(index);
    if (vector === undefined) throw new Error(`The endpoint's answer has no embedding of text ${index + 1}`);
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

/** Returns the cosine of the angle between two vectors: 1 for the same direction, 0 for none in common. */
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
