/** Rules of `Dockerfile` and `compose.yaml`. `.ci/container` builds and starts them, where docker or podman can. */

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { REPOSITORY } from "./support/source-files.ts";

const DOCKERFILE = readFileSync(`${REPOSITORY}Dockerfile`, "utf8");
const COMPOSE = readFileSync(`${REPOSITORY}compose.yaml`, "utf8");
const IGNORED = readFileSync(`${REPOSITORY}.dockerignore`, "utf8");
const { devDependencies } = JSON.parse(readFileSync(`${REPOSITORY}package.json`, "utf8")) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

describe("the Dockerfile", () => {
  it("keeps the rules [DI3.lint]", () => {
    expect(problemsOf(DOCKERFILE)).toEqual([]);
  });

  it.each<readonly [problem: string, from: string | RegExp, to: string]>([
    ["a base without a version: debian", "FROM debian:13.2-slim", "FROM debian"],
    ["a base without a version: debian:latest", "FROM debian:13.2-slim", "FROM debian:latest"],
    ["a base without a version: debian:trixie-slim", "FROM debian:13.2-slim", "FROM debian:trixie-slim"],
    ["another Node than package.json", /FROM node:[\d.]+/, "FROM node:24.0.0"],
    ["no user by number", "USER 65532:65532\n", ""],
    ["no user by number", "USER 65532:65532", "USER bascule"],
    ["no user by number", "USER 65532:65532", "USER 65532:65532\nUSER 0"],
    ["an instruction after USER that needs rights", "WORKDIR /project", "RUN touch /x\nWORKDIR /project"],
    ["HEALTHCHECK needs a shell", /CMD \["bascule", "doctor", "--host"\]/, "CMD bascule doctor --host"],
    ["HEALTHCHECK is not by bascule", /CMD \["bascule", "doctor"/, 'CMD ["curl", "doctor"'],
    ["no HEALTHCHECK", /^HEALTHCHECK.*\n/m, ""],
    ["ENTRYPOINT needs a shell", 'ENTRYPOINT ["bascule"]', "ENTRYPOINT bascule"],
    ["CMD needs a shell", /^CMD .*/m, "CMD serve"],
    ["a secret in ENV or ARG", "ENV HOME=/home/bascule", "ENV HOME=/home/bascule BASCULE_TOKEN=x"],
    ["ADD instead of COPY", "COPY . .", "ADD . ."],
    [
      "COPY of the checkout into the last stage",
      "COPY --from=build /src/dist/bascule /usr",
      "COPY . /src\nCOPY --from=build /src/dist/bascule /usr",
    ],
  ])("is refused for %s [DI3.lint]", (problem, from, to) => {
    const changed = DOCKERFILE.replace(from, to);
    expect(changed).not.toBe(DOCKERFILE);
    expect(problemsOf(changed)).toEqual([problem]);
  });

  it("gets only files that the build reads, none of them secret or built [DI3.context]", () => {
    const [first, ...kept] = IGNORED.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    expect(first).toBe("*");
    expect(kept.map((line) => line.slice(1)).filter((path) => !existsSync(REPOSITORY + path))).toEqual([]);
    expect(kept.every((line) => line.startsWith("!"))).toBe(true);
    for (const never of ["!.git", "!.bascule", "!node_modules", "!dist", "!secrets"]) expect(kept).not.toContain(never);
  });
});

describe("compose.yaml", () => {
  it("starts it without rights, with a read-only root and a token from a file [DI3.compose]", () => {
    const { services, secrets, volumes } = parse(COMPOSE) as Compose;
    const { bascule } = services;
    expect(bascule).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      pids_limit: expect.any(Number),
      mem_limit: expect.any(String),
      ports: ["127.0.0.1:7420:7420"],
      environment: { BASCULE_ADMIN_TOKEN_FILE: "/run/secrets/admin_token" },
      secrets: ["admin_token"],
    });
    expect(["privileged", "user", "network_mode", "pid", "cap_add", "devices"].filter((key) => key in bascule)).toEqual([]);
    expect({ secrets: Object.keys(secrets), volumes: Object.keys(volumes) }).toEqual({
      secrets: ["admin_token"],
      volumes: ["project", "consents"],
    });
    expect(JSON.stringify(bascule.environment)).not.toMatch(/TOKEN":/);
  });

  it("gives bascule its own folders to write to, all of which the image made for its user [DI3.compose]", () => {
    const { tmpfs, volumes } = (parse(COMPOSE) as Compose).services.bascule;
    const [, made = ""] = /install -d -o bascule -g bascule -m 0700 (.*)$/m.exec(DOCKERFILE) ?? [];
    const writable = [
      ...tmpfs.map((mount) => mount.split(":")[0]),
      ...volumes.filter((one) => !one.endsWith(":ro")).map((one) => one.split(":")[1]),
    ];
    expect(new Set(writable)).toEqual(new Set([...made.split(" "), "/tmp"]));
    expect(tmpfs.find((mount) => mount.startsWith("/home/bascule/.cache"))).toContain("mode=1777");
  });
});

interface Compose {
  readonly services: {
    readonly bascule: {
      readonly tmpfs: readonly string[];
      readonly volumes: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
    };
  };
  readonly secrets: Readonly<Record<string, unknown>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** Returns what breaks a rule of a Dockerfile. */
function problemsOf(text: string): readonly string[] {
  const lines = text
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const all = lines.map((line) => ({ name: line.slice(0, line.indexOf(" ")), rest: line.slice(line.indexOf(" ") + 1) }));
  const last = all.slice(all.findLastIndex(({ name }) => name === "FROM"));
  const bases = all.filter(({ name }) => name === "FROM").map(({ rest }) => rest.split(" ")[0] ?? "");
  const of = (name: string): readonly string[] => last.filter((line) => line.name === name).map(({ rest }) => rest);
  const afterUser = last.slice(last.findIndex(({ name }) => name === "USER")).map(({ name }) => name);
  const [health] = of("HEALTHCHECK");
  const check = health?.slice(health.indexOf("CMD"));
  return [
    ...bases.filter((base) => !/:\d+\.\d+/.test(base)).map((base) => `a base without a version: ${base}`),
    ...(bases.some((base) => base.startsWith("node:") && !base.startsWith(`node:${devDependencies["node"]}-`))
      ? ["another Node than package.json"]
      : []),
    ...(/^[1-9]\d*:[1-9]\d*$/.test(of("USER").at(-1) ?? "") ? [] : ["no user by number"]),
    ...(afterUser.includes("USER") && afterUser.some((name) => ["RUN", "COPY", "ADD"].includes(name))
      ? ["an instruction after USER that needs rights"]
      : []),
    ...(check === undefined ? ["no HEALTHCHECK"] : []),
    ...(check !== undefined && !check.startsWith("CMD [") ? ["HEALTHCHECK needs a shell"] : []),
    ...(check?.startsWith("CMD [") === true && !check.startsWith('CMD ["bascule", ') ? ["HEALTHCHECK is not by bascule"] : []),
    ...(of("ENTRYPOINT").every((rest) => rest.startsWith("[")) ? [] : ["ENTRYPOINT needs a shell"]),
    ...(of("CMD").every((rest) => rest.startsWith("[")) ? [] : ["CMD needs a shell"]),
    ...(all.some(({ name, rest }) => ["ENV", "ARG"].includes(name) && /TOKEN|SECRET|PASSWORD|KEY/i.test(rest))
      ? ["a secret in ENV or ARG"]
      : []),
    ...(all.some(({ name }) => name === "ADD") ? ["ADD instead of COPY"] : []),
    ...(of("COPY").every((rest) => rest.startsWith("--from=")) ? [] : ["COPY of the checkout into the last stage"]),
  ];
}
