/** Unicode characters of LaTeX commands. */

const GREEK =
  "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω";
const LETTERS =
  "hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘ partial ∂ nabla ∇ infty ∞ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ neg ¬ lnot ¬ top ⊤ bot ⊥ angle ∠ triangle △ degree ° prime ′ dagger † ldots … dots … cdots ⋯ vdots ⋮ ddots ⋱ imath ı jmath ȷ";
/** Symbols with blanks around them. */
const RELATIONS =
  "leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ equiv ≡ approx ≈ sim ∼ simeq ≃ cong ≅ propto ∝ ll ≪ gg ≫ in ∈ notin ∉ ni ∋ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ mid ∣ parallel ∥ perp ⊥ vdash ⊢ models ⊨ to → rightarrow → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⇒ iff ⇔ mapsto ↦ uparrow ↑ downarrow ↓ prec ≺ succ ≻ coloneqq ≔";
const OPERATORS =
  "times × cdot · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ cup ∪ cap ∩ setminus ∖ wedge ∧ land ∧ vee ∨ lor ∨ uplus ⊎ amalg ⨿";
/** Symbols with scripts above and below. */
const LARGE = "sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂";
const NAMES = "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh exp log ln lg det dim ker deg gcd hom arg Pr";
const LIMITS = "lim limsup liminf max min sup inf argmax argmin";
const DELIMITERS =
  "langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | vert | Vert ‖ lVert ‖ rVert ‖ lbrace { rbrace } backslash \\";

export type SymbolKind = "letter" | "relation" | "operator" | "large" | "name" | "limit";

function pairs(text: string, kind: SymbolKind): [string, { readonly text: string; readonly kind: SymbolKind }][] {
  const words = text.split(" ");
  return words.flatMap((name, index) => (index % 2 === 0 ? [[name, { text: words[index + 1] ?? "", kind }]] : []));
}

export const SYMBOLS: ReadonlyMap<string, { readonly text: string; readonly kind: SymbolKind }> = new Map([
  ...pairs(GREEK, "letter"),
  ...pairs(LETTERS, "letter"),
  ...pairs(DELIMITERS, "letter"),
  ...pairs(RELATIONS, "relation"),
  ...pairs(OPERATORS, "operator"),
  ...pairs(LARGE, "large"),
  ...NAMES.split(" ").map((name) => [name, { text: name, kind: "name" }] as const),
  ...LIMITS.split(" ").map((name) => [name, { text: name, kind: "limit" }] as const),
]);

/** Combining marks for accents over a letter. */
export const ACCENTS: ReadonlyMap<string, string> = new Map([
  ["hat", "\u0302"],
  ["bar", "\u0304"],
  ["overline", "\u0305"],
  ["underline", "\u0332"],
  ["vec", "\u20d7"],
  ["dot", "\u0307"],
  ["ddot", "\u0308"],
  ["tilde", "\u0303"],
]);

/** Code points at which other alphabets begin: capitals, small letters and digits. */
export const STYLES: ReadonlyMap<string, readonly [capital: number, small: number, digit: number]> = new Map([
  ["mathbf", [0x1d400, 0x1d41a, 0x1d7ce]],
  ["mathbb", [0x1d538, 0x1d552, 0x1d7d8]],
  ["mathcal", [0x1d49c, 0x1d4b6, 0]],
  ["mathfrak", [0x1d504, 0x1d51e, 0]],
]);

/** Letters that Unicode already had elsewhere before it added the alphabets. */
export const EXCEPTIONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    mathbb: "C ℂ H ℍ N ℕ P ℙ Q ℚ R ℝ Z ℤ",
    mathcal: "B ℬ E ℰ F ℱ H ℋ I ℐ L ℒ M ℳ R ℛ e ℯ g ℊ o ℴ",
    mathfrak: "C ℭ H ℌ I ℑ R ℜ Z ℨ",
  }).flatMap(([style, text]) => {
    const words = text.split(" ");
    return words.flatMap((letter, index) => (index % 2 === 0 ? [[`${style} ${letter}`, words[index + 1] ?? letter] as const] : []));
  }),
);

export const SUPERSCRIPTS: ReadonlyMap<string, string> = mapOf(
  "0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθϕχ′∗",
  "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᶲᵡ′*",
);
export const SUBSCRIPTS: ReadonlyMap<string, string> = mapOf(
  "0123456789+-=()aehijklmnoprstuvxβγρϕχ",
  "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
);

function mapOf(from: string, to: string): ReadonlyMap<string, string> {
  const targets = [...to];
  return new Map([...from].map((letter, index) => [letter, targets[index] ?? letter]));
}
