import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { CloudflareProgress } from '../../../src-main/contract/reach.ts';
import { Bar } from '../../ui/bar.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { progressWords as words } from './words.ts';

/** Shows the step that is running at Cloudflare, and how many are done. */
export function TaskProgress({ progress }: { progress: CloudflareProgress | null }): ReactElement {
  return (
    <div>
      <Bar done={progress?.done ?? 0} total={progress?.total ?? null} label={words.bar} />
      <Text role="status" size="sm" className={shared.wrap}>
        {progress === null ? words.starting : <Foreign text={progress.words} />}
      </Text>
      {progress !== null && progress.total > 0 && (
        <Text size="sm" c="dimmed">
          {words.steps(progress.done, progress.total)}
        </Text>
      )}
    </div>
  );
}
