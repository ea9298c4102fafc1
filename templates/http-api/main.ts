/** Asks an HTTP API with a secret key. Replace the host here and in the manifest's permissions. */

import type { Context } from "./bascule.d.ts";

const SERVICE = "https://api.example.com/v1/weather";

interface Weather {
  city: string;
  degrees: number;
}

/**
 * Says how warm it is in a city.
 *
 * @sideEffects network
 */
export async function my_plugin_weather(
  {
    city,
  }: {
    /** Name of the city @minLength 1 */
    city: string;
  },
  { signal }: Pick<Context, "signal">,
): Promise<Weather> {
  // A placeholder: the host puts the key into requests to the hosts that the manifest names, so this code cannot leak it.
  const key = Deno.env.get("MY_PLUGIN_KEY") ?? "";
  const response = await fetch(`${SERVICE}?city=${encodeURIComponent(city)}`, { headers: { authorization: `Bearer ${key}` }, signal });
  if (!response.ok) throw new Error(`The service answered ${response.status}`);
  return readWeather(await response.json());
}

/** Checks the answer of the service. @internal */
export function readWeather(answer: unknown): Weather {
  const { city, degrees } = (answer ?? {}) as Partial<Weather>;
  if (typeof city !== "string" || typeof degrees !== "number") throw new Error("The service's answer has no city or degrees");
  return { city, degrees };
}
