import { NativeSelect } from '@mantine/core';
import type { ReactElement } from 'react';
import { lifetimes } from './span.ts';

interface Props {
  readonly label: string;
  /** The label of the choice without an end. */
  readonly endless: string;
  /** Seconds; null: until the owner signs the app out. */
  readonly seconds: number | null;
  readonly onChange: (seconds: number | null) => void;
}

/** Lets the owner choose how long an app keeps its access. */
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
