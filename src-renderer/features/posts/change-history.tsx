import { Button, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { exactTime } from '../../ui/time.ts';
import styles from './posts.module.css';
import { changesInWords, historyWords } from './words.ts';

type Version = Result<'posts.history'>['items'][number];

interface Props {
  readonly versions: readonly Version[];
  /** Restores a version; null if the post can't be changed now. */
  readonly onRestore: ((id: string) => void) | null;
}

/** Who changed a post, what and when, newest first. Each change shows the version that it replaced. */
export function ChangeHistory({ versions, onRestore }: Props): ReactElement | null {
  if (versions.length === 0) return null;
  return (
    <details className={styles.history}>
      <summary>{historyWords.title(versions.length)}</summary>
      <ol reversed>
        {versions.map((version) => (
          <li key={version.id}>
            <Change version={version} />
            {onRestore && (
              <Button
                variant="default"
                size="compact-xs"
                aria-label={historyWords.restoreNamed(exactTime(version.replacedAt))}
                onClick={() => onRestore(version.id)}
              >
                {historyWords.restore}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Change({ version }: { version: Version }): ReactElement {
  const { by, changes, replacedAt, name, summary } = version;
  const who = by === null ? historyWords.you : <Foreign text={by} fallback={historyWords.anApp} />;
  const before = [name, summary].filter((text) => text !== '').join(': ');
  return (
    <div className={styles.change}>
      <Text size="sm">
        <Phrase
          text={historyWords.changed(changesInWords(changes))}
          parts={{ who, when: <Ago at={replacedAt} /> }}
        />
      </Text>
      {before !== '' && (
        <Text size="sm" c="dimmed" lineClamp={2}>
          {historyWords.before} “<Foreign text={before} />”
        </Text>
      )}
    </div>
  );
}
