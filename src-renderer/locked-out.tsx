import { Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import shell from './shell.module.css';
import { Lamp } from './ui/lamp.tsx';
import { lockedOutWords as words } from './words.ts';

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
