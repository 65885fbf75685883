import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ImportProgress as Told } from '../../../src-main/contract/mention-import.ts';
import { Bar } from '../../ui/bar.tsx';
import { Foreign } from '../../ui/foreign.tsx';

interface Props {
  readonly progress: Told | null;
  /** True where what went wrong is said elsewhere. */
  readonly quiet?: boolean;
}

/** How far an import is, and in words what came of it. */
export function ImportProgress({ progress, quiet = false }: Props): ReactElement | null {
  if (!progress || (quiet && progress.state === 'failed')) return null;
  const { state, done, total, words } = progress;
  return (
    <div>
      {state === 'running' && <Bar done={done} total={total} label="How far the import is" />}
      <Text size="sm" role="status">
        {state === 'failed' && <b>The last import did not come to its end. </b>}
        <Foreign text={words} />
      </Text>
    </div>
  );
}
