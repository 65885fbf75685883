import { Stack } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

interface Props {
  /** False while the form cannot be sent; then Enter does nothing either. */
  readonly ready: boolean;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A form for one task with the data. Enter in a field sends it, as its button does. */
export function DataForm({ ready, onSubmit, children }: Props): ReactElement {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onSubmit();
      }}
    >
      <Stack gap="sm">{children}</Stack>
    </form>
  );
}
