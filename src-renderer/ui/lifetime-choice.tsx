import { NativeSelect } from '@mantine/core';
import type { ReactElement } from 'react';
import { lifetimes } from './span.ts';

interface Props {
  readonly label: string;
  /** The words for: without an end. */
  readonly endless: string;
  /** Seconds; null: until signed out. */
  readonly seconds: number | null;
  readonly onChange: (seconds: number | null) => void;
}

/** How long an app may act for the owner. */
export function LifetimeChoice({ label, endless, seconds, onChange }: Props): ReactElement {
  return (
    <NativeSelect
      label={label}
      maw={280}
      value={String(seconds)}
      data={[
        { value: 'null', label: endless },
        ...lifetimes.map((each) => ({ value: String(each.seconds), label: each.words })),
      ]}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onChange(value === 'null' ? null : Number(value));
      }}
    />
  );
}
