import { Button, Group, List, Text, Title } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { PastImport } from '../../../src-main/contract/post-import.ts';
import { useAction } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { formatWords, outcomeWords, pastWords as words } from './import-words.ts';

interface Props {
  readonly items: readonly PastImport[];
  readonly busy: boolean;
  readonly onContinue: (past: PastImport) => void;
}

/** Lists the imports so far. Each can be undone, and an unfinished one continued. */
export function PastImports({ items, busy, onContinue }: Props): ReactElement | null {
  const [undoing, setUndoing] = useState<string | null>(null);
  const [undone, setUndone] = useState<Result<'posts.undoImport'> | null>(null);
  if (items.length === 0) return null;
  return (
    <section aria-label={words.heading}>
      <Title order={3}>{words.heading}</Title>
      <div role="status">{undone && <Undone result={undone} />}</div>
      <ul className={shared.list}>
        {items.map((past) => (
          <li key={past.id} className={shared.row}>
            <div className={shared.rowBody}>
              <Text>
                {formatWords[past.format]}: {words.contents(past)}
              </Text>
              <Text size="sm" c="dimmed">
                <Ago at={past.at} /> · <Foreign text={past.path} />
              </Text>
            </div>
            <Group gap="xs" className={shared.rowEnd}>
              {(past.state === 'interrupted' || past.state === 'cancelled') && (
                <Button
                  {...{ variant: 'default', size: 'xs', disabled: busy }}
                  aria-label={words.continueName(formatWords[past.format], past.path)}
                  onClick={() => onContinue(past)}
                >
                  {words.continue}
                </Button>
              )}
              {past.state !== 'undone' && past.state !== 'running' && (
                <Button
                  {...{ variant: 'default', size: 'xs', disabled: busy }}
                  aria-label={words.undoName(formatWords[past.format], past.path)}
                  onClick={() => setUndoing(past.id)}
                >
                  {words.undo}
                </Button>
              )}
            </Group>
          </li>
        ))}
      </ul>
      {undoing !== null && (
        <UndoImport
          id={undoing}
          onClose={() => setUndoing(null)}
          onDone={(result) => {
            setUndone(result);
            setUndoing(null);
          }}
        />
      )}
    </section>
  );
}

interface UndoProps {
  readonly id: string;
  readonly onDone: (result: Result<'posts.undoImport'>) => void;
  readonly onClose: () => void;
}

/** Asks before an import is undone. */
export function UndoImport({ id, onDone, onClose }: UndoProps): ReactElement {
  const undo = useAction('posts.undoImport');
  return (
    <Confirm
      title={words.title}
      action={words.action}
      busy={undo.isPending}
      error={undo.error}
      onConfirm={() => undo.mutate({ id }, { onSuccess: onDone })}
      onClose={onClose}
    >
      {words.means}
    </Confirm>
  );
}

/** Says what an undo deleted and what it kept. */
export function Undone({ result }: { result: Result<'posts.undoImport'> }): ReactElement {
  const { deleted, files, mentions, pages, kept, keptCount } = result;
  return (
    <>
      <Text>{outcomeWords.undone({ posts: deleted, mentions, pages }, files)}</Text>
      {keptCount > 0 && (
        <>
          <Text size="sm">{outcomeWords.kept(keptCount)}</Text>
          <List size="sm">
            {kept.map(({ what, why }, index) => (
              <List.Item key={index}>
                <Foreign text={what} />{' '}
                <Text span c="dimmed" size="sm">
                  {why}
                </Text>
              </List.Item>
            ))}
          </List>
        </>
      )}
    </>
  );
}
