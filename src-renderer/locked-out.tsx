import { Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import shell from './shell.module.css';
import { Lamp } from './ui/lamp.tsx';

const reasons = {
  noKey:
    'This tab has no key. Only a tab that was opened with the whole address has one, until you close it.',
  oldKey: 'Porchlight was started again since, and this page’s key is no longer good.',
};

/** What somebody without a key sees: how to get back in. */
export function LockedOut({ reason }: { reason: keyof typeof reasons }): ReactElement {
  return (
    <main className={shell.alone}>
      <Stack gap="md">
        <Lamp lit={false} />
        <Title order={1}>The door is closed</Title>
        <Text>{reasons[reason]}</Text>
        <Text>
          To get back in, open the address that Porchlight printed when it started, the whole of it. You find
          it in the terminal or the log where Porchlight runs, with the key after the #. If it is gone, start
          Porchlight again and it prints a new one.
        </Text>
        <Text c="dimmed" size="sm">
          Your server keeps running meanwhile. Only this window is closed.
        </Text>
      </Stack>
    </main>
  );
}
