import { Button, Group, Text, Title } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { ImportRun } from '../../../src-main/contract/mention-import.ts';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { summaryWords } from './dialog-words.ts';
import { deedOf, numberWords, personOf } from './naming.ts';
import { PageName } from './page-name.tsx';
import styles from './webmentions.module.css';

interface Props {
  readonly run: ImportRun;
  /** Called when the owner opens one of the mentions. */
  readonly onLeave: () => void;
}

/** What the last import did, how that compares with the aggregator, and what the owner may do about removals. */
export function ImportSummary({ run, onLeave }: Props): ReactElement {
  const { id, at, imported, updated, removed, total, wouldRemove } = run;
  const remove = useAction('webmentions.applyRemovals');
  const restore = useAction('webmentions.undoImport');
  const [shown, setShown] = useState(false);
  const counts = [
    [summaryWords.counts.new, imported],
    [summaryWords.counts.changed, updated],
    [summaryWords.counts.removed, removed],
    [summaryWords.counts.unchanged, Math.max(0, total - imported - updated)],
  ] as const;
  return (
    <section className={styles.summary} aria-labelledby="import-summary">
      <Group justify="space-between">
        <Title order={3} id="import-summary">
          {summaryWords.heading}: {summaryWords.sentence(imported, updated)}
        </Title>
        <Text size="sm" c="dimmed">
          <Ago at={at} />
        </Text>
      </Group>
      <dl className={styles.summaryCounts}>
        {counts.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{numberWords(count)}</dd>
          </div>
        ))}
      </dl>
      {wouldRemove === 0 && <Text size="sm">{summaryWords.compare(total)}</Text>}
      {wouldRemove > 0 && (
        <WarningNote>
          <Text>{summaryWords.noLongerListed(wouldRemove)}</Text>
          <SteadyButton
            variant="default"
            size="xs"
            mt="xs"
            loading={remove.isPending}
            onClick={() => remove.mutate({ id })}
          >
            {summaryWords.remove(wouldRemove)}
          </SteadyButton>
        </WarningNote>
      )}
      <ErrorNote error={remove.error} doing={summaryWords.removeFailed} />
      <ErrorNote error={restore.error} doing={summaryWords.restoreFailed} />
      <Text size="sm" role="status">
        {restore.data ? summaryWords.restoredDone(restore.data.restored) : null}
        {remove.data && !restore.data ? summaryWords.removedDone(remove.data.removed) : null}
      </Text>
      <Group gap="xs">
        {removed > 0 && (
          <Button
            variant="default"
            size="xs"
            loading={restore.isPending}
            onClick={() => restore.mutate({ id })}
          >
            {summaryWords.restore(removed)}
          </Button>
        )}
        {updated + removed + wouldRemove > 0 && !shown && (
          <Button variant="default" size="xs" onClick={() => setShown(true)}>
            {summaryWords.show}
          </Button>
        )}
      </Group>
      {shown && <Changes id={id} onLeave={onLeave} />}
    </section>
  );
}

function Changes({ id, onLeave }: { id: string; onLeave: () => void }): ReactElement {
  const changes = useAnswer('webmentions.importChanges', { id });
  return (
    <Loaded query={changes} what={summaryWords.what}>
      {({ updated, removed, wouldRemove }) => (
        <div className={styles.changes}>
          <Listed title={summaryWords.changed} listed={updated} onLeave={onLeave} />
          <Listed title={summaryWords.removed} listed={removed} onLeave={onLeave} />
          <Listed title={summaryWords.missing} listed={wouldRemove} onLeave={onLeave} />
        </div>
      )}
    </Loaded>
  );
}

interface ListedProps {
  readonly title: string;
  readonly listed: Result<'webmentions.importChanges'>['updated'];
  readonly onLeave: () => void;
}

function Listed({ title, listed, onLeave }: ListedProps): ReactElement | null {
  const { count, mentions } = listed;
  if (count === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={4}>
        {title} ({numberWords(count)})
      </Title>
      <ul>
        {mentions.map((mention) => (
          <li key={mention.id}>
            <a href={hashOf('webmentions', mention.id)} onClick={onLeave}>
              <Foreign text={personOf(mention)} /> {deedOf(mention)}{' '}
              <PageName target={mention.target} title={mention.targetTitle} />
            </a>
          </li>
        ))}
      </ul>
      {count > mentions.length && <Text size="sm">{summaryWords.more(count - mentions.length)}</Text>}
    </section>
  );
}
