/** Runs some hundred requests of `npm run fuzz -- --only http`. */

import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { TOKENS } from "../support/http-door.ts";
import { checkHttpRequest, checkHttpRequests } from "./http-check.ts";

describe("the HTTP API, with requests made from its own document", { timeout: 90_000 }, () => {
  it("answers every one as described, without a defect [I4.openapi, I4.malformed]", async () => {
    expect(await checkHttpRequests(FUZZ_SEED, 300), `seed ${FUZZ_SEED}`).toEqual([]);
  });

  it("answers an asynchronous call at once, as described [I4.openapi, I4.async]", async () => {
    const body = JSON.stringify({ tool: "look" });
    const call = { path: "/v1/calls", method: "POST", token: TOKENS.admin, body };
    expect(await checkHttpRequest({ ...call, fields: { prefer: "respond-async" } })).toBeUndefined();
    expect(await checkHttpRequest({ ...call, fields: {} })).toBeUndefined();
  });
});
