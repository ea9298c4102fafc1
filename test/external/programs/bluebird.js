import Bluebird from "bluebird";

export const maps = () => Bluebird.map([1, 2, 3], async (n) => n * 2, { concurrency: 2 });
export const waits = () => Bluebird.delay(3).return("waited");
export const fails = () => Bluebird.reject(new TypeError("no")).catch(TypeError, (error) => error.message);
