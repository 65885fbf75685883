import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { ErrorNote } from '../../ui/states.tsx';
import styles from './settings.module.css';
import { useUnsaved } from './unsaved.tsx';
import { saveWords } from './words.ts';

/** How saving goes. */
export interface Saving {
  readonly isPending: boolean;
  readonly isSuccess: boolean;
  readonly error: Error | null;
}

interface Props {
  /** True if the form has unsaved changes. */
  readonly changed: boolean;
  readonly save: Saving;
  readonly onDiscard: () => void;
  /** True where another action of the screen is the main one. The row then stays at the end of its form. */
  readonly secondary?: boolean;
}

/**
 * The end of a form: saves it or discards its changes. It stays at the window's lower edge while the form is longer than
 * the window. Inside the settings, nobody leaves it unsaved by mistake.
 */
export function SaveRow({ changed, save, onDiscard, secondary = false }: Props): ReactElement {
  useUnsaved(changed);
  return (
    <Stack gap="xs" className={secondary ? undefined : styles.save} data-changed={changed || undefined}>
      <ErrorNote error={save.error} doing={saveWords.failed} />
      <Group gap="sm">
        <Button
          type="submit"
          {...(secondary ? { variant: 'default' } : { color: 'amber.5' })}
          disabled={!changed}
          loading={save.isPending}
        >
          {saveWords.save}
        </Button>
        {changed && (
          <Button variant="default" disabled={save.isPending} onClick={onDiscard}>
            {saveWords.discard}
          </Button>
        )}
        <Text role="status" size="sm" c="dimmed">
          {!changed && save.isSuccess ? saveWords.saved : ''}
        </Text>
      </Group>
    </Stack>
  );
}
