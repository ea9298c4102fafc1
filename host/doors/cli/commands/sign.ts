/** `bascule sign`: vouches for a plugin's files with a key (SPEC M12). */

import { FileError } from "../../../platform/platform.ts";
import { readFolder } from "../../../plugins/folder/read.ts";
import { privateKeyText, signDigest, SIGNATURE_FILE } from "../../../plugins/folder/signature.ts";
import { CliError, notFoundError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { shortDigest } from "../consent-text.ts";
import { EXIT } from "../exit-codes.ts";
import { findPlugins } from "../find-plugins.ts";
import { absolutePath, nameOf, parentOf, pathFrom } from "../paths.ts";
import { printable } from "../../../primitives/text.ts";

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const MAX_KEY_BYTES = 4_096;

export const signCommand: Command = {
  name: "sign",
  summary: "Sign a plugin's files, so that users see who changed them",
  usage: "sign <plugin>",
  words: ["plugin"],
  details: [
    `Writes ${SIGNATURE_FILE} into its folder: an Ed25519 signature over the plugin's digest, with the public key.`,
    "After any edit the plugin has to be signed again. Where a plugin has been accepted, another signer is a matter of consent.",
    "The key is made when it is not there yet. Keep it, and keep it to yourself.",
  ],
  examples: ["sign notes", "sign plugins/notes --key=release.pem"],
  positionals: { min: 1, max: 1 },
  options: [{ name: "key", value: "file", about: "The private key, PEM (default: .config/bascule/signing-key.pem in the home folder)" }],
  run: sign,
};

async function sign(context: CommandContext): Promise<number> {
  const { platform, output, positionals } = context;
  const [plugin] = await findPlugins(context, positionals);
  const key = await readOrMakeKey(context);
  const { directory } = plugin;
  const state = await readFolder(platform, { root: parentOf(directory), rootIndex: 0, folder: nameOf(directory) }, { unsigned: true });
  if (state.kind !== "read")
    throw new CliError("unreadable", `Cannot read plugin "${plugin.name}" as it is`, {
      hints: [`${output.program} check ${plugin.name} says why`],
    });
  const signature = await signDigest(key, state.digest);
  if (signature === undefined)
    throw new CliError("key", "The key file holds no Ed25519 key in PEM", { hints: ["openssl genpkey -algorithm ed25519 makes one"] });
  await platform.files.writeAtomic(`${directory}/${SIGNATURE_FILE}`, signature.text);
  const { signer } = signature;
  output.line(
    `${output.style.green("Signed")} ${printable(plugin.name)} ${output.style.dim(`(${shortDigest(state.digest)})`)} as ${signer}`,
  );
  output.document({ ok: true, plugin: plugin.name, digest: state.digest, signer });
  return EXIT.ok;
}

async function readOrMakeKey({ platform, output, options }: CommandContext): Promise<string> {
  const { files, environment, random } = platform;
  const named = options.value("key");
  const file = named === undefined ? `${environment.home}/.config/bascule/signing-key.pem` : absolutePath(named, environment.cwd);
  const shown = printable(pathFrom(environment.cwd, file));
  const info = await files.stat(file);
  if (info === undefined) {
    // A key that was named and is not there is more likely misspelt than wanted.
    if (named !== undefined) throw notFoundError(`Cannot find the key "${shown}"`, [`Leave --key out to have one made`]);
    await files.makeDirectory(parentOf(file));
    const text = privateKeyText(random.bytes(32));
    await files.writeAtomic(file, text, OWNER_ONLY);
    output.line(`${output.style.green("Made")} a key: ${shown}`);
    return text;
  }
  if ((info.mode & OTHERS) !== 0 && environment.os !== "windows") {
    throw new CliError("key", `Others can read the key "${shown}"`, { hints: [`chmod 600 ${shown}, and think about whether they have`] });
  }
  try {
    return new TextDecoder().decode(await files.readBytes(file, MAX_KEY_BYTES));
  } catch (error) {
    if (error instanceof FileError) throw new CliError("key", `Cannot read the key "${shown}": ${error.message}`);
    throw error;
  }
}
