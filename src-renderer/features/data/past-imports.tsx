import { Button, Group, List, Text, Title } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { PastImport } from '../../../src-main/contract/post-import.ts';
import { useAction } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { commentWords, formatWords, outcomeWords, pastWords as words } from './import-words.ts';

interface Props {
  readonly items: readonly PastImport[];
  readonly busy: boolean;
  readonly onContinue: (past: PastImport) => void;
}

/** Lists the imports so far. Each can be undone, and an unfinished one continued. */
export function PastImports({ items, busy, onContinue }: Props): ReactElement | null {
  const [undoing, setUndoing] = useState<string | null>(null);
  const [undone, setUndone] = useState<ReactElement | null>(null);
  const [approved, setApproved] = useState<ReadonlyMap<string, number>>(new Map());
  if (items.length === 0) return null;
  return (
    <section aria-label={words.heading}>
      <Title order={3}>{words.heading}</Title>
      <div role="status">{undone}</div>
      <ul className={shared.list}>
        {items.map((past) => (
          <li key={past.id} className={shared.row}>
            <div className={shared.rowBody}>
              <Text>
                {formatWords[past.format]}: {words.contents(past)}
              </Text>
              <Text size="sm" c="dimmed">
                <Ago at={past.at} /> · <Foreign text={nameOf(past)} />
              </Text>
            </div>
            <Group gap="xs" className={shared.rowEnd}>
              {(past.state === 'interrupted' || past.state === 'cancelled') && past.isUpload !== true && (
                <Button
                  variant="default"
                  size="xs"
                  disabled={busy}
                  aria-label={words.continueName(formatWords[past.format], nameOf(past))}
                  onClick={() => onContinue(past)}
                >
                  {words.continue}
                </Button>
              )}
              {past.format === 'wxr' && past.mentions > 0 && isThere(past) && (
                <Comments
                  {...{ past, approved: approved.get(past.id) }}
                  onApproved={(count) => setApproved(new Map(approved).set(past.id, count))}
                />
              )}
              {isThere(past) && (
                <Button
                  variant="default"
                  size="xs"
                  disabled={busy}
                  aria-label={words.undoName(formatWords[past.format], nameOf(past))}
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
            const format = items.find(({ id }) => id === undoing)?.format ?? 'porchlight';
            setUndone(<Undone format={format} result={result} />);
            setUndoing(null);
          }}
        />
      )}
    </section>
  );
}

/** Returns the path of an archive, or the name of one that the owner uploaded. */
const nameOf = ({ path, isUpload }: Pick<PastImport, 'path' | 'isUpload'>): string =>
  isUpload === true ? (path.split(/[/\\]/).at(-1) ?? path) : path;
const isThere = ({ state }: PastImport) => state !== 'undone' && state !== 'running';

interface CommentsProps {
  readonly past: PastImport;
  /** How many comments the owner has just approved. */
  readonly approved: number | undefined;
  readonly onApproved: (count: number) => void;
}

function Comments({ past, approved, onApproved }: CommentsProps): ReactElement {
  return (
    <>
      <Text size="sm" role="status">
        {approved !== undefined && commentWords.approved(approved)}
      </Text>
      {approved === undefined && (
        <ApproveComments
          {...{ id: past.id, onApproved }}
          name={commentWords.approveName(formatWords[past.format], nameOf(past))}
        />
      )}
    </>
  );
}

interface ApproveProps {
  readonly id: string;
  /** The button's name for screen readers, if its label isn't enough. */
  readonly name?: string;
  readonly onApproved: (count: number) => void;
}

/** Approves all comments of an import that still wait. */
export function ApproveComments({ id, name, onApproved }: ApproveProps): ReactElement {
  const approve = useAction('posts.approveImport');
  return (
    <div>
      <Button
        variant="default"
        size="xs"
        loading={approve.isPending}
        {...(name !== undefined && { 'aria-label': name })}
        onClick={() => approve.mutate({ id }, { onSuccess: ({ approved }) => onApproved(approved) })}
      >
        {commentWords.approve}
      </Button>
      <ErrorNote error={approve.error} doing={commentWords.failed} />
    </div>
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

interface UndoneProps {
  readonly format: PastImport['format'];
  readonly result: Result<'posts.undoImport'>;
}

/** Says what an undo deleted and what it kept. */
export function Undone({ format, result }: UndoneProps): ReactElement {
  const { deleted, files, mentions, pages, kept, keptCount } = result;
  return (
    <>
      <Text>{outcomeWords.undone({ format, posts: deleted, mentions, pages }, files)}</Text>
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
