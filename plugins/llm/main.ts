/** Tools that call a language model. The user sets the endpoint and the models. */

import type {
  ClassifyTextArgs,
  ClassifyTextOutput,
  Context,
  EmbedTextArgs,
  EmbedTextOutput,
  SimilaritySearchArgs,
  SimilaritySearchOutput,
} from "./bascule.d.ts";
import { classify, type Label } from "./classify.ts";
import { embed, similarity } from "./embeddings.ts";

const DEFAULT_TOP = 5;
const SHOWN_CHARACTERS = 300;
const DIGITS = 7;
const MAX_CHARACTERS = 1_000_000;

/** Returns texts as vectors. */
export async function embed_text(args: EmbedTextArgs, context: Context): Promise<EmbedTextOutput> {
  const vectors = await embed(args.texts, context, args.dimensions);
  return {
    model: context.settings.embeddingModel,
    dimensions: vectors[0]?.length ?? 0,
    // More digits than are significant would only lengthen the answer.
    embeddings: vectors.map((vector) => vector.map((part) => Number(part.toPrecision(DIGITS)))),
  };
}

/** Returns the texts that are nearest to a query in meaning. */
export async function similarity_search(args: SimilaritySearchArgs, context: Context): Promise<SimilaritySearchOutput> {
  const { query, texts, top = DEFAULT_TOP } = args;
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  if (characters > MAX_CHARACTERS)
    throw new Error(`The texts have ${characters} characters, more than ${MAX_CHARACTERS} (search them in parts)`);
  const [wanted = [], ...vectors] = await embed([query, ...texts], context);
  const scored = vectors.map((vector, index) => ({ index, score: Number(similarity(wanted, vector).toPrecision(DIGITS)) }));
  const matches = scored.toSorted((left, right) => right.score - left.score || left.index - right.index).slice(0, top);
  return {
    model: context.settings.embeddingModel,
    matches: matches.map(({ index, score }) => ({ index, score, text: shorten(texts[index] ?? "") })),
  };
}

/** Returns the labels that fit a text. */
export async function classify_text(args: ClassifyTextArgs, context: Context): Promise<ClassifyTextOutput> {
  const labels = args.labels.map((label): Label => label);
  const names = new Set(labels.map(({ name }) => name.toLowerCase()));
  if (names.size < labels.length) throw new Error("Duplicate label (case is ignored)");
  const found = await classify(args.text, labels, args.multiple ?? false, context);
  return { model: context.settings.chatModel, labels: [...found] };
}

function shorten(text: string): string {
  const characters = [...text];
  return characters.length > SHOWN_CHARACTERS ? `${characters.slice(0, SHOWN_CHARACTERS).join("")}…` : text;
}
