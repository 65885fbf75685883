import { PasswordInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { tokenWords as words } from './words.ts';

interface Props {
  readonly value: string;
  readonly about: string;
  readonly problem: string | undefined;
  readonly autoFocus?: boolean;
  readonly onChange: (value: string) => void;
}

/** Takes a Cloudflare API token, which is never shown again. */
export function TokenField({ value, about, problem, autoFocus = false, onChange }: Props): ReactElement {
  return (
    <PasswordInput
      label={words.label}
      description={about}
      autoComplete="off"
      maxLength={300}
      value={value}
      error={problem}
      {...(autoFocus && { 'data-autofocus': true })}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
