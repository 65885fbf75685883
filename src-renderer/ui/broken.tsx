import { Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FallbackProps } from 'react-error-boundary';
import { Page } from './page.tsx';
import { ErrorNote } from './states.tsx';

/** What stands where a part of the window failed: the rest of it goes on. */
export function Broken({ error, resetErrorBoundary }: FallbackProps): ReactElement {
  return (
    <Page title="This did not work">
      <ErrorNote
        error={error instanceof Error ? error : new Error(String(error))}
        doing="The window could not show this. The server goes on, and nothing that was saved is lost."
      />
      <Group>
        <Button color="amber.5" onClick={resetErrorBoundary}>
          Open it again
        </Button>
      </Group>
    </Page>
  );
}
