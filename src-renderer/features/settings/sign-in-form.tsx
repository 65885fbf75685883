import { Group, Input, NativeSelect, NumberInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { settingAreas, type Settings } from '../../../src-main/contract/settings.ts';
import { secondsOf, spanOf, type Unit } from '../../ui/span.ts';
import { settingProps } from './setting-field.tsx';
import { AreaForm, useSettingsForm } from './settings-form.tsx';

const words = {
  amount: (label: string) => `${label}: number`,
  unit: (label: string) => `${label}: unit`,
};

/** Sets how apps sign in, and how long their access lasts. */
export function SignInForm({ signIn }: { signIn: Settings['signIn'] }): ReactElement {
  const form = useSettingsForm('signIn', signIn);
  const span = (name: 'accessTokenSeconds' | 'refreshTokenSeconds') => (
    <SpanField
      key={form.round}
      name={name}
      seconds={form.shown[name]}
      onChange={(seconds) => form.change({ [name]: seconds })}
    />
  );
  return (
    <AreaForm
      page="sign-in"
      form={form}
      fields={{
        accessTokenSeconds: span('accessTokenSeconds'),
        refreshTokenSeconds: span('refreshTokenSeconds'),
      }}
    />
  );
}

interface SpanProps {
  readonly name: 'accessTokenSeconds' | 'refreshTokenSeconds';
  readonly seconds: number;
  readonly onChange: (seconds: number) => void;
}

const units: readonly Unit[] = ['seconds', 'minutes', 'hours', 'days'];
const tenYears = 315_360_000;

/** Edits a length of time as a number and a unit. Keeps the unit that the owner chose. */
function SpanField({ name, seconds, onChange }: SpanProps): ReactElement {
  const { id, label, description } = settingProps('sign-in', name, settingAreas.signIn[name]);
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
