import { Input, NativeSelect, NumberInput, Group } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { secondsOf, spanOf, type Unit } from '../../ui/span.ts';
import { signInWords as words } from './words.ts';

interface Props {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly seconds: number;
  readonly onChange: (seconds: number) => void;
}

const units: readonly Unit[] = ['seconds', 'minutes', 'hours', 'days'];
const tenYears = 315_360_000;

/** Edits a length of time as a number and a unit. Keeps the unit that the owner chose. */
export function SpanInput({ id, label, description, seconds, onChange }: Props): ReactElement {
  const [span, setSpan] = useState(() => spanOf(seconds));
  const change = (next: typeof span) => {
    setSpan(next);
    const length = secondsOf(next);
    if (length >= 1 && length <= tenYears) onChange(length);
  };
  return (
    <div role="group" id={id} aria-labelledby={`${id}-label`} aria-describedby={`${id}-about`}>
      <Input.Label id={`${id}-label`} labelElement="div">
        {label}
      </Input.Label>
      <Input.Description id={`${id}-about`}>{description}</Input.Description>
      <Group gap="xs" mt={6}>
        <NumberInput
          aria-label={words.amount(label)}
          w={110}
          min={1}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="blur"
          value={span.amount}
          max={Math.floor(tenYears / secondsOf({ amount: 1, unit: span.unit }))}
          onChange={(amount) => typeof amount === 'number' && change({ ...span, amount })}
        />
        <NativeSelect
          aria-label={words.unit(label)}
          w={130}
          value={span.unit}
          data={units.map((unit) => ({ value: unit, label: span.amount === 1 ? unit.slice(0, -1) : unit }))}
          onChange={(event) => {
            const { value } = event.currentTarget;
            change({ ...span, unit: units.find((unit) => unit === value) ?? span.unit });
          }}
        />
      </Group>
    </div>
  );
}
