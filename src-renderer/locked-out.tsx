import { Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import shell from './shell.module.css';
import { Lamp } from './ui/lamp.tsx';
import { lockedOutWords } from './words.ts';

const words = {
  title: 'This window is locked',
  reasons: {
    noKey: 'A tab has access only if you opened it with Porchlight’s full link, and only until you close it.',
    oldKey: 'Porchlight has restarted since you opened this tab. The old link no longer works.',
    usedLink: 'This link was already used, or it is more than two minutes old.',
  },
  wayIn: 'To get a new link, run “porchlight open” on the computer where Porchlight runs.',
  otherWayIn:
    'The link that Porchlight printed in the terminal when it started also works. Copy all of it, including the part after the #.',
  calm: 'Your server is still running. Only this window is locked.',
};

/** Why the window shows nothing. */
export type LockedReason = keyof typeof words.reasons;

/** Tells somebody without a key how to open the window. */
export function LockedOut({ reason }: { reason: LockedReason }): ReactElement {
  return (
    <main className={shell.alone}>
      <Stack gap="md">
        <Lamp lit={false} />
        <Title order={1}>{words.title}</Title>
        <Text>{words.reasons[reason]}</Text>
        <Text>{words.wayIn}</Text>
        <Text>{words.otherWayIn}</Text>
        <Text c="dimmed" size="sm">
          {words.calm}
        </Text>
      </Stack>
    </main>
  );
}
