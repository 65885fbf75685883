import { Button, Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { mailboxTasks, type MailboxTask } from './mailbox-words.ts';
import { TaskDialog } from './task-dialog.tsx';
import type { MailboxActions } from './use-mailbox.ts';

interface Props {
  readonly task: MailboxTask;
  readonly actions: MailboxActions;
  readonly needsToken: boolean;
  /** True for the one that the owner should use now. */
  readonly main?: boolean;
}

/** Tasks that end something ask before, even if no token is missing. */
const asking: readonly MailboxTask[] = ['turnOff', 'takeOver'];

/** A button for a task of the mailbox. It asks for what the task needs. */
export function MailboxTaskButton({ task, actions, needsToken, main = false }: Props): ReactElement {
  const [isAsking, setAsking] = useState(false);
  const words = mailboxTasks[task];
  const needs = needsToken && task !== 'retry' && task !== 'takeOver';
  return (
    <>
      <Button
        {...(main ? { color: 'amber.5' } : { variant: 'default' })}
        loading={actions.isPending && actions.task === task}
        disabled={actions.isPending && actions.task !== task}
        onClick={() => (needs || asking.includes(task) ? setAsking(true) : actions.run(task, {}))}
      >
        {words.label}
      </Button>
      {isAsking && (
        <TaskDialog
          title={words.title}
          action={words.action}
          color={task === 'turnOff' ? 'red.8' : 'amber.5'}
          needsToken={needs}
          failure={actions.task === task ? actions.error : null}
          onConfirm={(params) => actions.run(task, params)}
          onClose={() => setAsking(false)}
        >
          {words.about !== '' && <Text>{words.about}</Text>}
        </TaskDialog>
      )}
    </>
  );
}
