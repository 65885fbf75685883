import { Group, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { FolderRun, SiteFolderStatus } from '../../../../src-main/contract/site-folder.ts';
import { useAction } from '../../../client/queries.ts';
import { Address } from '../../../ui/foreign.tsx';
import shared from '../../../ui/shared.module.css';
import { ErrorNote } from '../../../ui/states.tsx';
import { SteadyButton } from '../../../ui/steady-button.tsx';
import styles from './site-folder.module.css';
import { runsWords as words } from './words.ts';

interface Props extends Pick<SiteFolderStatus, 'runs' | 'isAllowed'> {
  /** The full path of the folder. */
  readonly path: string;
  readonly onAllowed?: () => void;
}

/** Shows what git runs for a folder, and lets the owner allow it. Renders nothing if git runs nothing. */
export function FolderRuns({ path, runs, isAllowed, onAllowed }: Props): ReactElement | null {
  const allow = useAction('siteFolder.allow');
  if (runs.length === 0) return null;
  if (isAllowed)
    return (
      <div className={styles.part}>
        <Text size="sm" role="status">
          {words.allowed(runs.length)}
        </Text>
        <details className={styles.details}>
          <summary>{words.show(runs.length)}</summary>
          <Entries runs={runs} />
        </details>
      </div>
    );
  return (
    <section aria-label={words.title} className={styles.part}>
      <Title order={4} size="h5">
        {words.title}
      </Title>
      <Text size="sm" mt={4}>
        {words.intro}
      </Text>
      <Entries runs={runs} />
      <Text size="sm" mb="sm">
        {words.advice}
      </Text>
      <ErrorNote error={allow.error} doing={words.allowFailed} />
      <Group mt={allow.error ? 'sm' : 0}>
        <SteadyButton
          variant="default"
          size="xs"
          loading={allow.isPending}
          onClick={() => allow.mutate({ path, runs }, { onSuccess: () => onAllowed?.() })}
        >
          {words.allow}
        </SteadyButton>
      </Group>
    </section>
  );
}

function Entries({ runs }: { runs: readonly FolderRun[] }): ReactElement {
  return (
    <ul className={shared.list}>
      {runs.map(({ kind, name, command }) => (
        <li key={`${name} ${command}`} className={styles.item}>
          <Text size="sm">
            {words.kinds[kind]}: <Address url={name} />
          </Text>
          {command !== '' && (
            <Text size="sm" className={styles.command}>
              <Address url={command} />
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}
