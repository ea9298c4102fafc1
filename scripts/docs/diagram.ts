/** Mermaid diagrams as SVG, drawn when the site is built. */

import { renderMermaidSVG } from "beautiful-mermaid";

/** Draws a diagram in the colours of the page. */
export function diagramToSvg(source: string): string {
  const colours = {
    bg: "var(--page)",
    fg: "var(--text)",
    line: "var(--faint)",
    accent: "var(--soft)",
    muted: "var(--soft)",
    border: "var(--line)",
  };
  const svg = renderMermaidSVG(source, { ...colours, surface: "var(--raised)", font: "Inter Variable" });
  // The library asks a server of fonts for the font, which the site has itself.
  return svg.replaceAll(/@import url\([^)]*\);/g, "");
}
