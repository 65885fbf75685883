import { Stack } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

/** Where the screen tells how its last task went, whichever part of it that was. */
export const outcomeId = 'data-outcome';

/** Leads to the outcome: it stands at the top, the form that was sent maybe far below. */
export function showOutcome(): void {
  const outcome = document.getElementById(outcomeId);
  outcome?.focus();
  outcome?.scrollIntoView({ block: 'center' });
}

interface Props {
  /** False while what stands in the form can’t be sent; then Enter does nothing either. */
  readonly ready: boolean;
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** A task of the data screen: Enter in a field sends it, as its button does. */
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
