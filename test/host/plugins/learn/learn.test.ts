import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Act } from "../../../../host/audit/acts.ts";
import { learn, learnSlices, permissionsOf } from "../../../../host/plugins/learn/learn.ts";
import { createMaximum, type Maximum, queryOf, toLayer } from "../../../../host/plugins/learn/maximum.ts";
import { unusedItems, unusedSlices } from "../../../../host/plugins/learn/unused.ts";
import { coversPermissions, evaluateAccess, parsePermissions, type PermissionBases, type Permissions } from "../../../../manifests/mod.ts";

const BASES: PermissionBases = {
  base: "/project/plugins/demo",
  plugin: "/project/plugins/demo",
  workspace: "/project",
  data: "/project/.bascule/data/demo",
  tmp: "/tmp",
  home: "/home/me",
};
const ALL: Permissions = { read: true, write: true, net: true, env: true, tools: true };

function act(kind: Act["kind"], value: string, more: Partial<Act> = {}): Act {
  return { kind, value, count: 1, refused: 0, calls: ["call-1"], ...more };
}

function learned(acts: readonly Act[], permissions: Permissions = ALL): Permissions {
  return learn(acts, { maximum: createMaximum(permissions, BASES) }).permissions;
}

function passes(permissions: Permissions, one: Act): boolean {
  const query = queryOf(one);
  return query !== undefined && evaluateAccess([toLayer(permissions, BASES)], query).state === "granted";
}

/** Counts the permission checks between two steps, at most. */
function mostAsked<T>(work: (maximum: Maximum) => Generator<void, T>): { readonly most: number; readonly steps: number } {
  const real = createMaximum({ read: ["$workspace"], net: ["*.example.com"] }, BASES);
  let [asked, most, steps] = [0, 0, 0];
  const count = <A extends unknown[], R>(ask: (...args: A) => R): ((...args: A) => R) => {
    return (...args) => (asked++, ask(...args));
  };
  const slices = work({ ...real, allows: count(real.allows), covers: count(real.covers) });
  for (let step = slices.next(); ; step = slices.next()) {
    most = Math.max(most, asked);
    asked = 0;
    if (step.done === true) return { most, steps };
    steps++;
  }
}

describe("learnSlices() and unusedSlices()", () => {
  const paths = Array.from({ length: 1_000 }, (_, index) => act("read", `/project/${index % 500}/deep/${index}`));
  const hosts = Array.from({ length: 1_000 }, (_, index) => act("net", `h${index}.example.com:443`, { method: "GET" }));

  it("look at one act at a time [LV2.learn]", () => {
    const { most, steps } = mostAsked((maximum) => learnSlices([...paths, ...hosts], { maximum }));
    expect(most).toBeLessThanOrEqual(4);
    expect(steps).toBeGreaterThan(4_000);
    const never = { read: ["$workspace/never", "$workspace/not"] };
    expect([...unusedSlices(never, paths, BASES)]).toHaveLength(2_000);
  });
});

describe("learn()", () => {
  it("proposes none of the host's own files, except the plugin's data folder [P9.hosts-own]", () => {
    const acts = [
      "/project/.bascule/admin.token",
      "/project/.BASCULE/grants.json",
      "/project/.bascule./grants.json",
      "/project/.ba\u017fcule/grants.json",
      "/project/.bas\u00adcule/grants.json",
      "/project/.bascule:s/grants.json",
      "/project/.bascule/data/demo/a.txt",
      "/project/a.md",
    ].map((path) => act("read", path, { refused: 1 }));
    const written = ["/project/bascule.json", "/project/Bascule.lock", "/project/b.md"].map((path) => act("write", path, { refused: 1 }));
    const { permissions, leftOut } = learn([...acts, ...written], { maximum: createMaximum(ALL, BASES) });
    expect([permissions, leftOut.map(({ value }) => value)]).toEqual([
      { read: ["$data/a.txt", "$workspace/a.md"], write: ["$workspace/b.md"] },
      [...acts.slice(0, 6), ...written.slice(0, 2)].map(({ value }) => value),
    ]);
  });

  it("proposes no host of the inner network that was always refused, because a server may have led there [P9.inner]", () => {
    const led = ["metadata.google.internal:80", "intranet:80", "printer.local:631"].map((host) => act("net", host, { refused: 1 }));
    const others = [act("net", "api.example:443", { refused: 1 }), act("net", "wiki:80", { count: 2, refused: 1 })];
    const { permissions, leftOut } = learn([...led, ...others], { maximum: createMaximum(ALL, BASES) });
    expect([permissions, leftOut.map(({ value }) => value)]).toEqual([
      { net: ["wiki:80", "api.example:443"] },
      led.map(({ value }) => value),
    ]);
  });

  it("names files below $workspace, hosts with their port, variables by name [P9.narrow]", () => {
    const acts = [
      act("read", "/project/docs/a.md"),
      act("read", "/etc/hosts"),
      act("write", "/tmp/x/out.txt"),
      act("net", "api.example.org:443", { method: "GET" }),
      act("net", "api.example.org:443", { method: "HEAD" }),
      act("net", "post.example.org:8080", { method: "GET" }),
      act("net", "post.example.org:8080", { method: "POST" }),
      act("env", "HOME"),
      act("tools", "grep"),
    ];
    expect(learned(acts)).toEqual({
      read: ["$workspace/docs/a.md", "/etc/hosts"],
      write: ["$tmp/x/out.txt"],
      net: [{ host: "api.example.org:443", methods: ["GET", "HEAD"] }, "post.example.org:8080"],
      env: ["HOME"],
      tools: ["grep"],
    });
  });

  it("gives the evidence of each line: how often, in which calls and for what [P9.evidence]", () => {
    const acts = ["a", "b", "c", "d", "e"].map((name, index) =>
      act("read", `/project/docs/${name}.md`, { count: 2, refused: index === 0 ? 1 : 0, calls: [`call-${name}`] }),
    );
    expect(learn(acts, { maximum: createMaximum(ALL, BASES) }).lines).toEqual([
      {
        kind: "read",
        item: "$workspace/docs",
        acts: 10,
        refused: 1,
        examples: ["/project/docs/a.md", "/project/docs/b.md", "/project/docs/c.md"],
        values: 5,
        calls: ["call-a", "call-b", "call-c", "call-d", "call-e"],
      },
    ]);
  });

  it("merges files into a folder only if they are many, and only within the maximum [P9.folder]", () => {
    const files = (count: number): Act[] => Array.from({ length: count }, (_, index) => act("read", `/project/docs/${index}.md`));
    expect(learned(files(3))).toEqual({ read: ["$workspace/docs/0.md", "$workspace/docs/1.md", "$workspace/docs/2.md"] });
    expect(learned(files(4))).toEqual({ read: ["$workspace/docs"] });
    expect(learned(files(4), { read: ["$workspace/docs/*.md"] }).read).toHaveLength(4);
    // A folder with a denial inside is not proposed.
    expect(learned(files(4), { read: { allow: ["$workspace"], deny: ["$workspace/docs/private"] } }).read).toHaveLength(4);
  });

  it.each([
    ["the workspace's own folder", Array.from({ length: 40 }, (_, index) => `/project/${index}`)],
    ["a folder near the root", Array.from({ length: 40 }, (_, index) => `/srv/${index}`)],
    ["the home folder", Array.from({ length: 40 }, (_, index) => `/home/me/${index}`)],
    ["a folder above the workspace", Array.from({ length: 40 }, (_, index) => `/${index}/x`)],
  ])("does not merge files into %s [P9.root]", (_what, paths) => {
    const { permissions, leftOutMore, leftOut } = learn(
      paths.map((path) => act("read", path)),
      { maximum: createMaximum(ALL, BASES) },
    );
    for (const item of permissions.read as readonly string[]) expect(item.split("/").length, item).toBeGreaterThan(1);
    expect(coversPermissions(permissions, { read: ["$workspace/other", "/srv/other", "$home/other"] }, BASES)).toHaveLength(3);
    // Permissions that did not fit are listed.
    expect(leftOut.length + leftOutMore).toBe(8);
  });

  it.each(["/", "/home", "/home/me"])("never proposes %s, even if it was read and the maximum is everything [P9.root]", (path) => {
    const { permissions, leftOut } = learn([act("read", path)], { maximum: createMaximum(ALL, BASES) });
    expect(permissions).toEqual({});
    expect(leftOut).toEqual([{ kind: "read", value: path, acts: 1, reason: "would allow everything" }]);
  });

  it("leaves out what the maximum does not contain, and what a policy layer refused [P9.maximum]", () => {
    const maximum = createMaximum({ read: ["$workspace/docs"], net: true }, BASES);
    const { permissions, leftOut } = learn(
      [
        act("read", "/project/secret"),
        act("write", "/project/docs/a"),
        act("read", "/project/docs/b", { refused: 1, refusedBy: "no secrets" }),
        // "Everything" for net does not include machines of this network.
        act("net", "127.0.0.1:80", { method: "GET" }),
        act("net", "localhost:80", { method: "GET" }),
      ],
      { maximum },
    );
    expect(permissions).toEqual({});
    expect(leftOut.map(({ kind, value, reason }) => `${kind} ${value}: ${reason}`)).toEqual([
      "read /project/secret: beyond the maximum",
      "read /project/docs/b: refused by the no secrets layer, which no grant changes",
      "write /project/docs/a: beyond the maximum",
      "net 127.0.0.1:80: beyond the maximum",
      "net localhost:80: beyond the maximum",
    ]);
  });

  it("keeps the maximum's own items if they are more specific than the journal [P9.maximum] [C7.learn]", () => {
    const secret = { name: "TOKEN", secret: true, hosts: ["api.example.org"] } as const;
    const limited = { host: "api.example.org", methods: ["GET"], paths: ["/v1"] };
    const acts = [act("env", "TOKEN"), act("net", "api.example.org:443", { method: "GET" })];
    expect(learned(acts, { env: [secret], net: [limited] })).toEqual({ env: [secret], net: [limited] });
  });

  it("proposes no item that matches more than the recorded name [P9.exact]", () => {
    const acts = [act("env", "APP_*"), act("net", "*.example.org:443", { method: "GET" }), act("tools", "*")];
    expect(learned(acts)).toEqual({});
    expect(learned([act("read", "/project/docs/*.md")])).toEqual({});
    expect(learned([act("read", "/project/*.md")], { read: ["/project/docs"] })).toEqual({});
  });

  it("lists requests that were never used [P9.unused]", () => {
    const held: Permissions = { read: ["$workspace/docs", "$workspace/old"], net: ["a.example"], env: true, write: true };
    expect(unusedItems(held, [act("read", "/project/docs/a"), act("write", "/project/x")], BASES)).toEqual([
      { kind: "read", item: "$workspace/old" },
      { kind: "net", item: "a.example" },
      { kind: "env", item: true },
    ]);
  });
});

const SEGMENT = fc.constantFrom("a", "b", "c", "docs", "x.md", "*", "[y]", "$home", "ü");
const PATH = fc
  .tuple(fc.constantFrom("/project", "/project/plugins/demo", "/tmp", "/etc/app", "/home/me", ""), fc.array(SEGMENT, { maxLength: 4 }))
  .map(([base, rest]) => [base, ...rest].join("/") || "/");
const HOST = fc.constantFrom("a.example:443", "b.example:80", "c.a.example:443", "127.0.0.1:80", "*.example:443");
const ACT: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constantFrom("read" as const, "write" as const), value: PATH }).map(({ kind, value }) => act(kind, value)),
  fc.record({ value: HOST, method: fc.constantFrom("GET", "HEAD", "POST") }).map(({ value, method }) => act("net", value, { method })),
  fc.constantFrom("HOME", "APP_A", "APP_B", "APP_*").map((value) => act("env", value)),
);
const PATHS = fc.oneof(
  fc.constant(true),
  fc.uniqueArray(fc.constantFrom("$workspace", "$workspace/docs", "$workspace/**/*.md", "/etc/app", "$tmp", "docs"), { maxLength: 4 }),
  fc.record({
    allow: fc.constant(true),
    deny: fc.uniqueArray(fc.constantFrom("$workspace/a", "$workspace/docs/x.md", "/tmp/b"), { maxLength: 2 }),
  }),
);
const MAXIMUM: fc.Arbitrary<Permissions> = fc.record({
  read: PATHS,
  write: PATHS,
  net: fc.oneof(
    fc.constant(true),
    fc.uniqueArray(fc.constantFrom("*.example", "a.example", "127.0.0.1", "b.example:80"), { maxLength: 3 }),
    fc.constant([{ host: "*.example", methods: ["GET"] }]),
    fc.constant({ allow: ["*.example"], deny: ["c.a.example"] }),
  ),
  env: fc.oneof(fc.constant(true), fc.constant(["APP_*"]), fc.constant(["HOME"])),
});

describe("learned permissions", () => {
  it("allow every recorded act except those listed, need every line, and never exceed the maximum [P9.property]", () => {
    fc.assert(
      fc.property(fc.array(ACT, { maxLength: 40 }), MAXIMUM, (acts, permissions) => {
        const maximum = createMaximum(permissions, BASES);
        const { permissions: found, lines, leftOut, leftOutMore } = learn(acts, { maximum });
        expect(parsePermissions(found).ok).toBe(true);
        expect(coversPermissions(permissions, found, BASES)).toEqual([]);

        const left = new Set(leftOut.map(({ kind, value, method }) => `${kind} ${value} ${method}`));
        const wanted = acts.filter(({ kind, value, method }) => !left.has(`${kind} ${value} ${method}`));
        if (leftOutMore === 0) for (const one of wanted) expect(passes(found, one), JSON.stringify(one)).toBe(true);
        for (const line of lines) {
          const others = permissionsOf(lines.filter((other) => other !== line));
          expect(
            wanted.every((one) => passes(others, one)),
            JSON.stringify(line),
          ).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });
});
