// One sandboxed call through the library, as a user's program would make it. Plain JavaScript, so that it also runs beside
// an installed package: node smoke.mjs <import of bascule> <plugin folder>
import { fileURLToPath } from "node:url";

const [specifier, plugins] = process.argv.slice(2);
const { createHost } = await import(specifier);

const workspace = fileURLToPath(new URL(".", import.meta.url));
const host = await createHost({ plugins: [plugins], workspace, watch: false, grants: { words: { read: ["$workspace"] } } });
try {
  const result = await host.call("word_count", { path: "smoke.mjs" });
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  if (result.route !== "wasm") throw new Error(`The call ran on route "${result.route}", not in the sandbox`);
  const refused = await host.call("word_count", { path: "/etc/hostname" });
  if (refused.ok) throw new Error("A path outside the grant was read");
  console.log(JSON.stringify(result.output));
} finally {
  await host.close();
}
