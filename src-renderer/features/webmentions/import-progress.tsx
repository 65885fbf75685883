import { Progress, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ImportProgress as Told } from '../../../src-main/contract/webmentions.ts';
import { Foreign } from '../../ui/foreign.tsx';

interface Props {
  readonly progress: Told | null;
  /** True where what went wrong is said elsewhere. */
  readonly quiet?: boolean;
}

/** How far an import is, and in words what came of it. */
export function ImportProgress({ progress, quiet = false }: Props): ReactElement | null {
  if (!progress || (quiet && progress.state === 'failed')) return null;
  const { state, words } = progress;
  return (
    <div>
      {state === 'running' && <Bar progress={progress} />}
      <Text size="sm" role="status">
        {state === 'failed' && <b>The last import did not come to its end. </b>}
        <Foreign text={words} />
      </Text>
    </div>
  );
}

/** Where nobody knows how many there are, it moves without saying how far. */
function Bar({ progress: { done, total } }: { progress: Told }): ReactElement {
  if (total === null || total === 0) {
    return (
      <Progress.Root mb={6} aria-hidden="true">
        <Progress.Section value={100} color="amber.5" animated withAria={false} />
      </Progress.Root>
    );
  }
  const share = Math.min(100, (100 * done) / total);
  return <Progress value={share} color="amber.5" mb={6} aria-label="How far the import is" />;
}
