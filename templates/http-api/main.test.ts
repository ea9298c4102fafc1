import assert from "node:assert/strict";
import { readWeather } from "./main.ts";

Deno.test("reads the service's answer", () => {
  assert.deepEqual(readWeather({ city: "Rome", degrees: 21, source: "station" }), { city: "Rome", degrees: 21 });
});

Deno.test("refuses an answer without degrees", () => {
  assert.throws(() => readWeather({ city: "Rome" }), /no city or degrees/);
});
