/** A project with lively data for the screenshots: calls that worked, failed and were denied, pending confirmations, plugins with problems. */

import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { REPOSITORY } from "../run-command.ts";

/** Shipped plugins that the scene uses. */
const SHIPPED = ["notes", "plot", "words", "data"];

const manifest = (name: string, more: object): string =>
  JSON.stringify({ schemaVersion: "1.0", name, version: "1.0.0", description: `Plugin ${name}`, ...more }, null, 2);

const text = (properties: readonly string[]): object => ({
  type: "object",
  properties: Object.fromEntries(properties.map((property) => [property, { type: "string" }])),
  required: properties,
});

/** A picture of bands of colour, as base64 of a PNG. */
function swatch(width: number, height: number): string {
  const rows = Array.from({ length: height }, (_none, y) => [
    0,
    ...Array.from({ length: width }, (_nothing, x) => [
      40 + (60 * y) / height,
      120 + 100 * Math.sin(x / 30 + y / 20),
      160 + (90 * x) / width,
    ]).flat(),
  ]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(body.length + 8);
    frame.writeUInt32BE(data.length, 0);
    frame.set(body, 4);
    frame.writeUInt32BE(crc32(body), body.length + 4);
    return frame;
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const pixels = deflateSync(Buffer.from(rows.flat().map(Math.round)));
  return Buffer.concat([signature, chunk("IHDR", head), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]).toString("base64");
}

const SWATCH = swatch(360, 120);

export const FILES: Readonly<Record<string, string>> = {
  "bascule.json": JSON.stringify({ audit: { record: "failures" } }, null, 2),
  "README.md": "# Aurora\n\nA small service that answers questions about the northern lights.\n\n## Start\n\n    npm ci\n    npm start\n",
  "src/server.ts":
    'import { createServer } from "node:http";\nimport { forecast } from "./forecast.ts";\n\nconst port = 3000;\n\ncreateServer(async (request, response) => {\n  const place = new URL(request.url ?? "/", "http://local").searchParams.get("place");\n  response.end(JSON.stringify(await forecast(place ?? "Tromsø")));\n}).listen(port);\n',
  "src/forecast.ts": "export async function forecast(place: string) {\n  return { place, kp: 4, cloud: 0.3 };\n}\n",
  "notes/ideas.md": "# Ideas\n\n- show the moon\n",
  "data/stations.csv": `station,latitude,kp\n${Array.from({ length: 40 }, (_none, at) => `station-${at},${(60 + at / 4).toFixed(2)},${at % 9}`).join("\n")}\n`,
  "plugins/editor/manifest.json": manifest("editor", {
    version: "2.3.1",
    description: "Edits files of the workspace",
    permissions: { read: ["$workspace"], write: ["$workspace"] },
    tools: [
      { name: "save_file", description: "Writes a text file", inputSchema: text(["path", "text"]), sideEffects: ["write"] },
      { name: "replace_text", description: "Replaces a text in a file", inputSchema: text(["path", "find", "by"]), sideEffects: ["write"] },
      { name: "delete_file", description: "Deletes a file", inputSchema: text(["path"]), sideEffects: ["write"], destructive: true },
      { name: "open_file", description: "Reads a file", inputSchema: text(["path"]), sideEffects: ["read"] },
      { name: "swatch", description: "Returns a picture, a table and a text", inputSchema: { type: "object" }, sideEffects: [] },
    ],
  }),
  "plugins/editor/main.ts": `export async function save_file({ path, text }) { await Deno.writeTextFile(path, text); return "written " + path; }
export async function replace_text({ path, find, by }) { const before = await Deno.readTextFile(path); await Deno.writeTextFile(path, before.replaceAll(find, by)); return { path, changed: before.includes(find) }; }
export async function delete_file({ path }) { await Deno.remove(path); return null; }
export async function open_file({ path }) { return await Deno.readTextFile(path); }
export function swatch(_args, context) { return context.output({ content: [{ type: "text", text: "The colours of last night" }, { type: "image", mimeType: "image/png", data: "${SWATCH}" }], output: [{ colour: "green", share: 0.72, seconds: 812 }, { colour: "violet", share: 0.19, seconds: 204 }, { colour: "red", share: 0.09, seconds: 97 }] }); }
`,
  "plugins/weather/manifest.json": manifest("weather", {
    version: "0.4.0",
    description: "Asks a weather service",
    permissions: { net: ["api.weather.example"], env: ["WEATHER_KEY"] },
    tools: [
      { name: "forecast", description: "Returns the forecast of a place", inputSchema: text(["place"]), sideEffects: ["network"] },
      { name: "slow_report", description: "Takes long", inputSchema: { type: "object" }, sideEffects: [] },
    ],
  }),
  "plugins/weather/main.ts": `export async function forecast({ place }) { return await (await fetch("https://api.weather.example/?q=" + place)).json(); }
export async function slow_report() { await new Promise((resolve) => setTimeout(resolve, 600000)); return 1; }
`,
  "plugins/broken/manifest.json": manifest("broken", {
    tools: [{ name: "fails", description: "Never loads", inputSchema: { type: "object" }, sideEffects: [] }],
  }),
  "plugins/broken/main.ts": "export function fails( { return 1; }\n",
};

/** Writes the project into a temporary folder. */
export async function writeScene(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-screenshots-"));
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  for (const name of SHIPPED) await cp(join(REPOSITORY, "plugins", name), join(folder, "plugins", name), { recursive: true });
  return {
    folder,
    [Symbol.asyncDispose]: async () => await rm(folder, { recursive: true, force: true }),
  };
}

/** Puts a version of a plugin into its folder that requests more than the one that serves. */
export async function updateScene(folder: string): Promise<void> {
  const place = join(folder, "plugins/weather");
  const before = FILES["plugins/weather/manifest.json"] ?? "";
  await writeFile(
    join(place, "manifest.json"),
    before.replace("0.4.0", "0.5.0").replace('"api.weather.example"', '"api.weather.example",\n      "tiles.weather.example"'),
  );
  await writeFile(
    join(place, "main.ts"),
    [
      'const SERVICE = "https://api.weather.example/?q=";',
      "",
      "export async function forecast({ place }: { place: string }) {",
      "  const answer = await fetch(SERVICE + encodeURIComponent(place));",
      '  console.log("asked for", place, answer.status);',
      "  return await answer.json();",
      "}",
      "export async function slow_report() { await new Promise((resolve) => setTimeout(resolve, 600000)); return 1; }",
      "",
    ].join("\n"),
  );
}
