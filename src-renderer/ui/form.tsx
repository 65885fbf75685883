import { Stack } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface Props {
  /** False while the form can't be sent; then Enter does nothing either. */
  readonly ready?: boolean;
  readonly gap?: 'sm' | 'md' | 'xl';
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A form whose fields say themselves what is wrong. Enter in a field sends it, as its button does. */
export function Form({ ready = true, gap = 'md', onSubmit, children }: Props): ReactElement {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onSubmit();
      }}
    >
      <Stack gap={gap}>{children}</Stack>
    </form>
  );
}
