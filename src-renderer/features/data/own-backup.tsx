import { Radio, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { ownBackupWords as words } from './restore-words.ts';

interface Props {
  /** The owner's answer; null until they answer. */
  readonly isOwn: boolean | null;
  readonly onAnswer: (isOwn: boolean) => void;
}

/** Asks whether a backup is the owner's own, where nobody has set up this computer yet. Neither answer is proposed. */
export function OwnBackup({ isOwn, onAnswer }: Props): ReactElement {
  return (
    <Radio.Group
      label={words.question}
      value={isOwn === null ? null : isOwn ? 'yes' : 'no'}
      onChange={(answer) => onAnswer(answer === 'yes')}
    >
      <Stack gap="xs" mt="xs">
        <Radio value="yes" label={words.yes} description={words.yesAbout} />
        <Radio value="no" label={words.no} description={words.noAbout} />
      </Stack>
    </Radio.Group>
  );
}
