import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import { useAction } from '../../client/queries.ts';
import { Form } from '../../ui/form.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';
import { PathField } from './path-field.tsx';
import { Outcome, showOutcome } from './under-way.tsx';

interface Props {
  readonly task: 'export' | 'move';
  readonly words: {
    readonly path: string;
    readonly suggestion?: string;
    readonly action: string;
    readonly failed: string;
  };
  readonly progress: Result<'data.folder'>['progress'];
  readonly busy: boolean;
}

/** A task that needs only a path: the export, and moving the data folder. */
export function PathTask({ task, words, progress, busy }: Props): ReactElement {
  const [path, setPath] = useState('');
  useUnfinished(path !== '');
  const act = useAction(`data.${task}`);
  return (
    <Form
      gap="sm"
      ready={path !== '' && !busy && !act.isPending}
      onSubmit={() => act.mutate({ path }, { onSuccess: () => showOutcome(task) })}
    >
      <PathField
        label={words.path}
        purpose={task === 'export' ? 'saveExport' : 'newFolder'}
        {...(words.suggestion !== undefined && { suggestion: words.suggestion })}
        value={path}
        onChange={setPath}
      />
      <ErrorNote error={act.error} doing={words.failed} />
      <div>
        <Button type="submit" variant="default" disabled={path === '' || busy} loading={act.isPending}>
          {words.action}
        </Button>
      </div>
      <Outcome tasks={[task]} progress={progress} isExplained={act.error !== null} />
    </Form>
  );
}
