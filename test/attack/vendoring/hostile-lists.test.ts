import { describe, expect, it } from "vitest";
import { download } from "../../../host/plugins/vendoring/locate-packages.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const REGISTRY = [
  "registry=https://npm.example.com/",
  "@mine:registry = https://npm.example.com/",
  "//npm.example.com/:_authToken=${NPM_TOKEN}",
  "strict-ssl=true",
];

describe("attack: a checkout decides how packages are downloaded", () => {
  async function downloaded(npmrc: string, range: string, pinned: readonly (readonly [string, string])[] = []) {
    const platform = memoryPlatform({ "/workspace/.npmrc": npmrc });
    const asked: unknown[] = [];
    const bundler = {
      ...platform.bundler,
      fetchPackages(request: { readonly packages: readonly string[]; readonly npmrc: string }) {
        asked.push([request.packages, request.npmrc]);
        return Promise.resolve(undefined);
      },
    };
    const wanted = { package: { registry: "npm", name: "a", range, path: "" } };
    // Only the members that a download reads.
    const absent = [{ key: "a", wanted: [wanted] }] as unknown as Parameters<typeof download>[2];
    const outcome = await download({ ...platform, bundler }, "/workspace/plugins/demo", absent, new Map(pinned));
    return typeof outcome === "string" ? outcome : asked;
  }

  it("takes registries, credentials and certificates of its .npmrc, no programs and no other variables [AX2.npmrc]", async () => {
    const hostile = [
      "git=/workspace/evil.sh",
      "script-shell = ./evil.sh",
      " ignore-scripts=false",
      "prefix=/",
      "registry=https://${AWS_SECRET_ACCESS_KEY}.example.com/",
      "//npm.example.com/:_authToken=${HOME}${NPM_TOKEN}",
      "registry",
    ];
    expect(await downloaded([...REGISTRY, ...hostile].join("\r\n"), "^1")).toEqual([[["a@^1"], `${REGISTRY.join("\n")}\n`]]);
  });

  it.each(["git+ssh://example.com/a.git", "file:../../etc", "https://example.com/a.tgz", "github:a/b", "npm:b@1"])(
    "names a package by %s [AX2.range]",
    async (range) => {
      expect(await downloaded("", range)).toBe(`a: "${range}" is not a version, a range or a tag of a registry`);
      // Versions recorded in vendor.json come from the checkout, too.
      expect(await downloaded("", "*", [["a", range]])).toEqual([[["a@*"], ""]]);
    },
  );
});
