import { Button, Checkbox, NativeSelect, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { Params, Result } from '../../../src-main/contract/contract.ts';
import type { PostImportProgress } from '../../../src-main/contract/post-import.ts';
import { useAction, useAnswer, useClient } from '../../client/queries.ts';
import { isPostImportOver } from '../../client/post-import-progress.ts';
import { Bar } from '../../ui/bar.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { Form } from '../../ui/form.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { Card } from './card.tsx';
import { Losses, Report, Skipped } from './import-report.tsx';
import { commentWords, formatWords, importWords as words, outcomeWords } from './import-words.ts';
import { ApproveComments, PastImports, Undone, UndoImport } from './past-imports.tsx';
import { SourceField } from './path-field.tsx';

type Wish = Pick<Params<'posts.import'>, 'path' | 'format' | 'ownExport'>;

const formats = Object.entries(formatWords).map(([value, label]) => ({ value, label }));

/** Imports posts: checks an archive first, then shows the progress and how to undo it. */
export function ImportPosts(): ReactElement {
  const imports = useAnswer('posts.imports', {});
  return (
    <Card title={words.heading} about={words.about}>
      <Loaded query={imports} what={words.loading}>
        {(data) => <Steps data={data} />}
      </Loaded>
    </Card>
  );
}

function Steps({ data: { items, progress } }: { data: Result<'posts.imports'> }): ReactElement {
  const [wish, setWish] = useState<Wish>({ path: '', format: 'auto' });
  useUnfinished(wish.path !== '');
  const { files } = useClient();
  const check = useAction('posts.import');
  const run = useAction('posts.import');
  const isRunning = progress !== null && !isPostImportOver(progress);
  const busy = isRunning || check.isPending || run.isPending;
  const change = (part: Partial<Wish>) => {
    setWish({ ...wish, ...part });
    setIsOwn(false);
    check.reset();
    run.reset();
  };
  const importNow = (wish: Wish) => {
    check.reset();
    run.mutate(wish, {
      onSuccess: ({ state }) => {
        // An uploaded archive is gone after its import.
        if (files !== undefined && state === 'done') setWish({ ...wish, path: '' });
      },
    });
  };
  const checked = check.data;
  const [isOwn, setIsOwn] = useState(false);
  const importable = checked?.kinds.reduce((sum, { count }) => sum + count, 0) ?? 0;
  return (
    <>
      <Form
        gap="sm"
        ready={wish.path !== '' && !busy}
        onSubmit={() => {
          run.reset();
          setIsOwn(false);
          check.mutate({ ...wish, dryRun: true });
        }}
      >
        <SourceField
          label={words.path}
          description={words.aboutPath}
          choices={[
            { purpose: 'importFile', label: words.chooseFile },
            { purpose: 'importFolder', label: words.chooseFolder },
          ]}
          value={wish.path}
          onChange={(path) => change({ path })}
        />
        <NativeSelect
          label={words.format}
          data={formats}
          value={wish.format}
          onChange={({ currentTarget }) => change({ format: currentTarget.value as Wish['format'] })}
        />
        <div>
          <Button
            type="submit"
            {...(checked ? { variant: 'default' } : { color: 'amber.5' })}
            disabled={wish.path === '' || busy}
            loading={check.isPending}
          >
            {words.check}
          </Button>
        </div>
      </Form>
      {busy && <Underway progress={isRunning ? progress : null} />}
      <ErrorNote error={check.error} doing={words.notChecked} />
      <ErrorNote error={run.error} doing={words.failed} />
      {checked?.state === 'checked' && <Report report={checked} />}
      {checked?.format === 'porchlight' && checked.mentions > 0 && (
        <Checkbox
          label={words.ownExport}
          description={words.aboutOwnExport}
          checked={isOwn}
          disabled={busy}
          onChange={({ currentTarget }) => setIsOwn(currentTarget.checked)}
        />
      )}
      {checked && importable + checked.files + checked.mentions + checked.pages > 0 && (
        <div>
          <Button
            color="amber.5"
            disabled={busy}
            onClick={() => importNow({ ...wish, ...(isOwn && { ownExport: true }) })}
          >
            {words.action({ ...checked, posts: importable }, checked.files)}
          </Button>
        </div>
      )}
      {run.data && <Outcome key={run.data.id} report={run.data} busy={busy} />}
      <PastImports
        {...{ items, busy }}
        onContinue={({ path, format, ownExport }) => {
          setWish({ path, format });
          importNow({ path, format, ...(ownExport && { ownExport }) });
        }}
      />
    </>
  );
}

/** Shows how far an import is, and lets the owner cancel it. Takes the focus from the button that started it. */
function Underway({ progress }: { progress: PostImportProgress | null }): ReactElement {
  const cancel = useAction('posts.cancelImport');
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  const {
    done,
    total,
    words: sentence,
    state,
  } = progress ?? { done: 0, total: 0, words: '', state: 'checking' };
  return (
    <div ref={place} tabIndex={-1} className={shared.outcome}>
      <Stack gap="xs">
        <Bar done={done} total={total} label={words.bar} />
        <div role="status">
          <Text>
            <Foreign text={sentence} />
          </Text>
        </div>
        {state !== 'undoing' && (
          <div>
            <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({})}>
              {state === 'importing' ? words.cancel : words.cancelCheck}
            </Button>
          </div>
        )}
      </Stack>
    </div>
  );
}

/** Says how an import ended, and offers to undo it. Takes the focus, because what had it is gone. */
function Outcome({ report, busy }: { report: Result<'posts.import'>; busy: boolean }): ReactElement {
  const [asking, setAsking] = useState(false);
  const [undone, setUndone] = useState<Result<'posts.undoImport'> | null>(null);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  const { format, state, imported, files, mentions, pages, id } = report;
  const items = { format, posts: imported, mentions, pages };
  return (
    <div ref={place} tabIndex={-1} className={shared.outcome}>
      <Stack gap="sm">
        <div role="status">
          {undone ? (
            <Undone format={format} result={undone} />
          ) : (
            <Text fw={600}>
              {state === 'cancelled' ? outcomeWords.cancelled(items) : outcomeWords.done(items, files)}
            </Text>
          )}
        </div>
        {!undone && format === 'wxr' && mentions > 0 && <WaitingComments id={id} count={mentions} />}
        {!undone && <Skipped report={report} />}
        {!undone && <Losses report={report} />}
        {imported + files + mentions + pages > 0 && !undone && (
          <div>
            <Button variant="default" disabled={busy} onClick={() => setAsking(true)}>
              {outcomeWords.undo}
            </Button>
          </div>
        )}
      </Stack>
      {asking && (
        <UndoImport
          id={id}
          onClose={() => setAsking(false)}
          onDone={(result) => {
            setUndone(result);
            setAsking(false);
          }}
        />
      )}
    </div>
  );
}

/** Says that the comments of an import wait, and approves all of them. */
function WaitingComments({ id, count }: { id: string; count: number }): ReactElement {
  const [approved, setApproved] = useState<number | null>(null);
  return (
    <Stack gap="xs">
      <Text size="sm" role="status">
        {approved === null ? commentWords.waiting(count) : commentWords.approved(approved)}
      </Text>
      {approved === null && <ApproveComments id={id} onApproved={setApproved} />}
    </Stack>
  );
}
