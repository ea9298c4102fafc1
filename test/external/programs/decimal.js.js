import { Decimal } from "decimal.js";

export const adds = () => new Decimal("0.1").plus("0.2").toString();
export const roots = () => Decimal.set({ precision: 50 }) && Decimal.sqrt(2).toString();
export const writes = () => new Decimal("123456.789").toFixed(2) + new Decimal(255).toHexadecimal();
