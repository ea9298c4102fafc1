/** One of a few choices, as a row of joined radio buttons. */

import type { VNode } from "preact";
import { useId } from "preact/hooks";

export function Choice<Value extends string>({
  label,
  values,
  selected,
  onSelect,
}: {
  readonly label: string;
  readonly values: readonly (readonly [value: Value, text: string])[];
  readonly selected: Value;
  readonly onSelect: (value: Value) => void;
}): VNode {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{label}</legend>
      {values.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            class="visually-hidden"
            name={name}
            value={value}
            checked={value === selected}
            onChange={() => onSelect(value)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}
