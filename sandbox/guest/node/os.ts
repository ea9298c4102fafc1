/** `node:os`: the sandbox's virtual machine. */

export const EOL = "\n";
export const devNull = "/dev/null";
export const arch = (): string => "x64";
export const platform = (): string => "linux";
export const type = (): string => "Linux";
export const machine = (): string => "x86_64";
export const release = (): string => "0.0.0";
export const version = (): string => "";
export const hostname = (): string => "localhost";
export const homedir = (): string => "/";
export const tmpdir = (): string => "/tmp";
export const endianness = (): string => "LE";
export const availableParallelism = (): number => 1;
export const cpus = (): readonly object[] => [];
export const totalmem = (): number => 0;
export const freemem = (): number => 0;
export const uptime = (): number => 0;
export const loadavg = (): readonly number[] => [0, 0, 0];
export const networkInterfaces = (): object => ({});
export const constants: object = { signals: {}, errno: {}, priority: {} };
