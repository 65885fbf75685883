import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Result } from '../../../src-main/contract/contract.ts';
import type { DataTask } from '../../../src-main/contract/data.ts';
import { useAction } from '../../client/queries.ts';
import { Bar } from '../../ui/bar.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import { Restart } from '../../ui/restart.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { waitingWords } from './restore-words.ts';
import { progressWords } from './words.ts';

type Folder = Result<'data.folder'>;

/** Says what happens at the next start, and offers to restart now or to cancel. */
export function WaitingRestore({
  waiting: { task, words },
}: {
  waiting: NonNullable<Folder['waiting']>;
}): ReactElement {
  const cancel = useAction('data.cancel');
  return (
    <WarningNote>
      <Text>
        <Foreign text={words} />
      </Text>
      <Group mt="xs">
        <Restart />
        <Button
          variant="default"
          loading={cancel.isPending}
          onClick={() => cancel.mutate({ what: 'waiting' })}
        >
          {waitingWords.cancel[task]}
        </Button>
      </Group>
      <ErrorNote error={cancel.error} doing={waitingWords.notCancelled} />
    </WarningNote>
  );
}

/** Shows how far long work is, in bytes too, and lets the owner cancel it. */
export function Underway({ progress }: { progress: NonNullable<Folder['progress']> }): ReactElement {
  const cancel = useAction('data.cancel');
  const { state, task, done, total, words } = progress;
  return (
    <Stack gap="xs">
      {state === 'running' && <Bar done={done} total={total} label={progressWords.bar} />}
      <div role="status">
        <Text>
          <Foreign text={(state === 'done' && doneWords[task]) || words} />
        </Text>
      </div>
      {state === 'running' && done > 0 && (
        <Text size="sm" c="dimmed">
          {progressWords.sizes(done, total)}
        </Text>
      )}
      {state === 'running' && (
        <div>
          <Button
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate({ what: 'work' })}
          >
            {progressWords.cancel}
          </Button>
        </div>
      )}
    </Stack>
  );
}

/** Instead of the service’s words where the card shows the path itself. */
const doneWords: Partial<Record<DataTask, string>> = {
  backup: progressWords.backupDone,
  weekly: progressWords.backupDone,
  export: progressWords.exportDone,
};

interface OutcomeProps {
  /** The kinds of work that this card shows. */
  readonly tasks: readonly [DataTask, ...DataTask[]];
  readonly progress: Folder['progress'];
  /** True if the card's form already says why its work failed. */
  readonly isExplained?: boolean;
}

/** Shows the newest work of some kinds in their card. Takes the focus when the work ends (see showOutcome). */
export function Outcome({ tasks, progress, isExplained = false }: OutcomeProps): ReactElement {
  const isShown =
    progress !== null && tasks.includes(progress.task) && !(isExplained && progress.state === 'failed');
  return (
    <div id={outcomeId(tasks[0])} tabIndex={-1} className={shared.outcome}>
      {isShown && <Underway progress={progress} />}
    </div>
  );
}

const outcomeId = (task: DataTask) => `data-outcome-${task}`;

/** Moves the focus to the outcome of a task, because the button that started it may be disabled meanwhile. */
export function showOutcome(task: DataTask): void {
  const outcome = document.getElementById(outcomeId(task));
  outcome?.focus();
  outcome?.scrollIntoView({ block: 'center' });
}
