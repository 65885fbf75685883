import { Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FallbackProps } from 'react-error-boundary';
import { Page } from './page.tsx';
import { ErrorNote } from './states.tsx';
import { brokenWords } from './words.ts';

/** Replaces a part of the window that failed. The rest of the window still works. */
export function Broken({ error, resetErrorBoundary }: FallbackProps): ReactElement {
  return (
    <Page title={brokenWords.title}>
      <ErrorNote
        error={error instanceof Error ? error : new Error(String(error))}
        doing={brokenWords.doing}
      />
      <Group>
        <Button color="amber.5" onClick={resetErrorBoundary}>
          {brokenWords.again}
        </Button>
      </Group>
    </Page>
  );
}
