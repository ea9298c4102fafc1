import BigNumber from "bignumber.js";

export const divides = () => new BigNumber(1).div(3).toString();
export const formats = () => new BigNumber("1234567.891").toFormat(2);
export const powers = () => new BigNumber(7).pow(100).mod(13).toString();
