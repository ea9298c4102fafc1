import { describe, expect, it } from "vitest";
import { errorName, toBytes } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

const READ_ONLY = { read: true } as const;

// Everything is granted, so only the refusal protects this machine. So acts that change something target /dev/null, where they have no effect.
describe.runIf(process.platform === "linux")("attack: the kernel's files, with everything granted", () => {
  it.each([
    "/dev/zero",
    "/dev/null",
    "/dev/random",
    "/dev/tty",
    "/dev/shm/x",
    "/dev/stdin",
    "/dev/fd/0",
    "/proc/self/environ",
    "/proc/self/mem",
    "/proc/self/fd/0",
    "/proc/self/root/etc/hostname",
    "/proc/self/cwd/x",
    "/sys/kernel/notes",
    "/proc",
    "//proc/self/environ",
    "/tmp/../proc/self/environ",
  ])("%s is not read [C4.devices]", async (path) => {
    const { answer, acts } = await diskCall({}, READ_ONLY);
    for (const name of ["fs.readFile", "fs.stat", "fs.lstat", "fs.readDir", "fs.realPath", "workspace.read"]) {
      expect(errorName(await answer(name, { path })), name).toBe("NotCapable");
    }
    expect(acts.every(({ decision }) => decision === "denied")).toBe(true);
  });

  it.each(["/proc/self/environ", "/proc/self/fd/0", "/dev/zero", "/sys/kernel/notes"])(
    "a link to %s is not read [C4.devices]",
    async (link) => {
      const { answer } = await diskCall({ link: { link } }, READ_ONLY);
      expect(errorName(await answer("fs.readFile", { path: "link" }))).toBe("NotCapable");
      expect(errorName(await answer("fs.stat", { path: "link" }))).toBe("NotCapable");
    },
  );

  it("a device is not written, by name or by link [C4.devices]", async () => {
    const { answer } = await diskCall({ link: { link: "/dev/null" } }, { read: true, write: ["$workspace", "/dev/null"] });
    for (const path of ["/dev/null", "link"]) {
      expect(errorName(await answer("fs.writeFile", { path }, toBytes("x"))), path).toBe("NotCapable");
      expect(errorName(await answer("fs.truncate", { path })), path).toBe("NotCapable");
    }
  });
});
