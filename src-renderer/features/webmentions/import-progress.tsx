import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ImportProgress as Progress } from '../../../src-main/contract/mention-import.ts';
import { Bar } from '../../ui/bar.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { importWords } from './dialog-words.ts';

interface Props {
  readonly progress: Progress | null;
  /** True where an error is shown elsewhere. */
  readonly quiet?: boolean;
}

/** The progress of an import, and its result in words. */
export function ImportProgress({ progress, quiet = false }: Props): ReactElement | null {
  if (!progress || (quiet && progress.state === 'failed')) return null;
  const { state, done, total, words } = progress;
  return (
    <div>
      {state === 'running' && <Bar done={done} total={total} label={importWords.progress} />}
      <Text size="sm" role="status">
        {state === 'failed' && <b>{importWords.lastFailed}</b>}
        <Foreign text={words} />
      </Text>
    </div>
  );
}
