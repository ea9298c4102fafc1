/** `bascule sign`: signs a plugin's files with an Ed25519 key (SPEC M12). */

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
  summary: "Sign a plugin's files, so that users can see who changed them",
  usage: "sign <plugin>",
  words: ["plugin"],
  details: [
    `Writes ${SIGNATURE_FILE} into the plugin's folder: the public key and an Ed25519 signature over the plugin's digest.`,
    "Sign again after every edit. If users have accepted the plugin, a new signer needs their consent.",
    "Creates the default key if it does not exist. Back it up, and keep it private.",
  ],
  examples: ["sign notes", "sign plugins/notes --key=release.pem"],
  positionals: { min: 1, max: 1 },
  options: [{ name: "key", value: "file", about: "Private key in PEM (default: .config/bascule/signing-key.pem in the home folder)" }],
  run: sign,
};

async function sign(context: CommandContext): Promise<number> {
  const { platform, output, positionals } = context;
  const [plugin] = await findPlugins(context, positionals);
  const key = await readOrMakeKey(context);
  const { directory } = plugin;
  const state = await readFolder(platform, { root: parentOf(directory), rootIndex: 0, folder: nameOf(directory) }, { unsigned: true });
  if (state.kind !== "read")
    throw new CliError("unreadable", `Cannot read plugin "${plugin.name}"`, {
      hints: [`${output.program} check ${plugin.name} says why`],
    });
  const signature = await signDigest(key, state.digest);
  if (signature === undefined)
    throw new CliError("key", "The key file must be an Ed25519 private key in PEM", {
      hints: ["openssl genpkey -algorithm ed25519 creates one"],
    });
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
    // Do not create a key at a path from --key: it is more likely a typing error.
    if (named !== undefined) throw notFoundError(`Key "${shown}" not found`, [`Leave out --key to create the default key`]);
    await files.makeDirectory(parentOf(file));
    const text = privateKeyText(random.bytes(32));
    await files.writeAtomic(file, text, OWNER_ONLY);
    output.line(`${output.style.green("Created")} key ${shown}`);
    return text;
  }
  if ((info.mode & OTHERS) !== 0 && environment.os !== "windows") {
    throw new CliError("key", `Other users can read the key "${shown}"`, {
      hints: [`Run chmod 600 ${shown}, and replace the key if others may have read it`],
    });
  }
  try {
    return new TextDecoder().decode(await files.readBytes(file, MAX_KEY_BYTES));
  } catch (error) {
    if (error instanceof FileError) throw new CliError("key", `Cannot read the key "${shown}": ${error.message}`);
    throw error;
  }
}
