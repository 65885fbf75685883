import { Button, Text, VisuallyHidden } from '@mantine/core';
import { useMemo, useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAnswer } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { Loaded } from '../../ui/states.tsx';
import { exactTime } from '../../ui/time.ts';
import styles from './posts.module.css';
import { wordDiff, withoutLongPassages, type DiffPart } from './word-diff.ts';
import { changesInWords, historyWords } from './words.ts';

type Version = Result<'posts.history'>['items'][number];

interface Props {
  readonly url: string;
  readonly versions: readonly Version[];
  /** Restores a version; null if the post can't be changed now. */
  readonly onRestore: ((id: string) => void) | null;
}

/** Who changed a post, what and when, newest first. */
export function ChangeHistory({ url, versions, onRestore }: Props): ReactElement | null {
  if (versions.length === 0) return null;
  return (
    <details className={styles.history}>
      <summary>{historyWords.title(versions.length)}</summary>
      <ol reversed>
        {versions.map((version) => (
          <li key={version.id}>
            <Change url={url} version={version} />
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

/** The properties whose words are compared. */
const wordProperties = new Set(['name', 'content', 'summary']);

function Change({ url, version }: { url: string; version: Version }): ReactElement {
  const { id, by, changes, replacedAt } = version;
  const [isOpen, setIsOpen] = useState(false);
  const who = by === null ? historyWords.you : <Foreign text={by} fallback={historyWords.anApp} />;
  return (
    <div className={styles.change}>
      <Text size="sm">
        <Phrase
          text={historyWords.changed(changesInWords(changes))}
          parts={{ who, when: <Ago at={replacedAt} /> }}
        />
      </Text>
      {changes.some((name) => wordProperties.has(name)) && (
        <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary aria-label={historyWords.showNamed(exactTime(replacedAt))}>{historyWords.show}</summary>
          {isOpen && <Words url={url} id={id} />}
        </details>
      )}
    </div>
  );
}

/** The words of a version beside those that replaced them. */
function Words({ url, id }: { url: string; id: string }): ReactElement {
  const texts = useAnswer('posts.versionTexts', { url, id });
  return (
    <Loaded query={texts} what={historyWords.loads}>
      {({ before, after }) => (
        <>
          {before.name !== after.name && <Difference before={before.name} after={after.name} isTitle />}
          {before.text !== after.text && <Difference before={before.text} after={after.text} />}
        </>
      )}
    </Loaded>
  );
}

interface DifferenceProps {
  readonly before: string;
  readonly after: string;
  readonly isTitle?: boolean;
}

function Difference({ before, after, isTitle = false }: DifferenceProps): ReactElement {
  const parts = useMemo(() => withoutLongPassages(wordDiff(before, after)), [before, after]);
  return (
    <p dir="auto" className={styles.diff}>
      {isTitle && <b>{historyWords.titlePart} </b>}
      {parts.map((part, index) => (
        <Part key={index} part={part} />
      ))}
    </p>
  );
}

/** Screen readers say what was removed and added, because few read out del and ins. */
function Part({ part: { kind, text } }: { part: DiffPart }): ReactElement {
  if (kind === 'same') return <>{text}</>;
  const Element = kind === 'removed' ? 'del' : 'ins';
  return (
    <Element>
      <VisuallyHidden>{historyWords[kind]} </VisuallyHidden>
      {text}
    </Element>
  );
}
