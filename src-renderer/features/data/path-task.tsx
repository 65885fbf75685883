import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAction } from '../../client/queries.ts';
import { Form } from '../../ui/form.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { Card } from './card.tsx';
import { CopyTarget, Downloading, useCopying } from './copy-target.tsx';
import { LastCopyLine } from './last-copy.tsx';
import { PathField } from './path-field.tsx';
import { Outcome, showOutcome } from './under-way.tsx';
import { downloadWords, exportWords as words, folderWords } from './words.ts';

interface Props {
  readonly data: Result<'data.folder'>;
  readonly busy: boolean;
}

/** Exports everything: to a path, or as a download in a browser. */
export function Export({ data, busy }: Props): ReactElement {
  const copying = useCopying('export');
  const { isDownload, isPending, error, path } = copying;
  const ready = (isDownload || path !== '') && !busy;
  return (
    <Card title={words.heading} about={words.about}>
      {data.lastExport && <LastCopyLine what="export" copy={data.lastExport} />}
      <Form gap="sm" ready={ready && !isPending} onSubmit={() => copying.make()}>
        {!copying.isBrowser && <CopyTarget copying={copying} />}
        <ErrorNote error={error} doing={words.failed} />
        <div>
          <Button type="submit" color="amber.5" disabled={!ready} loading={isPending}>
            {isDownload ? downloadWords.export : words.action}
          </Button>
        </div>
        {copying.isBrowser && <CopyTarget copying={copying} />}
        <Outcome tasks={['export']} progress={data.progress} isExplained={error !== null} />
        <Downloading copying={copying} />
      </Form>
    </Card>
  );
}

/** Moves the data folder to another disk. */
export function MoveFolder({ data, busy }: Props): ReactElement {
  const [path, setPath] = useState('');
  useUnfinished(path !== '');
  const act = useAction('data.move');
  return (
    <Form
      gap="sm"
      ready={path !== '' && !busy && !act.isPending}
      onSubmit={() => act.mutate({ path }, { onSuccess: () => showOutcome('move') })}
    >
      <PathField
        label={folderWords.path}
        choices={[{ purpose: 'newFolder' }]}
        value={path}
        onChange={setPath}
      />
      <ErrorNote error={act.error} doing={folderWords.failed} />
      <div>
        <Button type="submit" variant="default" disabled={path === '' || busy} loading={act.isPending}>
          {folderWords.action}
        </Button>
      </div>
      <Outcome tasks={['move']} progress={data.progress} isExplained={act.error !== null} />
    </Form>
  );
}
