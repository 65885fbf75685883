import { Anchor, Group, List, Stack, Text } from '@mantine/core';
import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';
import type { CloudflareStatus, MailboxStatus } from '../../../src-main/contract/reach.ts';
import { useAnswer } from '../../client/queries.ts';
import { settingsHash } from '../../routes.ts';
import { Bar } from '../../ui/bar.tsx';
import { ForeignSentence } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { ErrorNote, Loaded, WarningNote } from '../../ui/states.tsx';
import { MailboxTaskButton } from './mailbox-task-button.tsx';
import { mailboxTasks, mailboxWords as words, type MailboxTask } from './mailbox-words.ts';
import { TaskProgress } from './task-progress.tsx';
import { isTokenError, useCloudflareStatus, useProgress } from './use-cloudflare.ts';
import { useMailboxActions, type MailboxActions } from './use-mailbox.ts';
import { cardWords, mailboxLines } from './words.ts';

/** How the mailbox is, and what the owner can do with it. */
export function MailboxPanel(): ReactElement {
  const mailbox = useAnswer('mailbox.status', {});
  const cloudflare = useCloudflareStatus();
  return (
    <Loaded query={mailbox} what={words.loading}>
      {(status) => (
        <Loaded query={cloudflare} what={cardWords.loading}>
          {(setup) => <Panel status={status} setup={setup} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Panel({ status, setup }: { status: MailboxStatus; setup: CloudflareStatus }): ReactElement {
  const actions = useMailboxActions();
  const progress = useProgress(['mailbox'], actions.isPending);
  const { task, isDone, isPending, error } = actions;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isDone) place.current?.focus();
  }, [isDone]);
  const needsToken = !setup.tokenKept || isTokenError(error);
  const button = (name: MailboxTask, main = false) => (
    <MailboxTaskButton task={name} actions={actions} needsToken={needsToken} main={main} />
  );
  return (
    <div className={shared.card} role="group" aria-label={words.group}>
      <Stack gap="sm">
        <div ref={place} tabIndex={-1} className={shared.outcome}>
          <Text fw={600} role="status">
            {status.state === 'off' ? words.off : words.titles[status.state]}
          </Text>
          {/* Not announced: the words may count copies. */}
          {status.state !== 'off' && (
            <Text size="sm" className={shared.wrap}>
              <ForeignSentence text={status.words} />
            </Text>
          )}
          <Text role="status" size="sm">
            {isDone && task !== null && mailboxTasks[task].done}
          </Text>
        </div>
        {status.state === 'off' ? <Off setup={setup}>{button('turnOn', true)}</Off> : <Now status={status} />}
        {status.remedy !== null && <Text size="sm">{words.remedies[status.remedy]}</Text>}
        {isPending && task !== 'retry' && <TaskProgress progress={progress} />}
        <Failure actions={actions} />
        {status.state !== 'off' && (
          <Group gap="sm">
            {status.remedy !== null && button(status.remedy, true)}
            {status.remedy === null && status.toRemove > 0 && button('retry', true)}
            {status.remedy === null && button('rotateKeys')}
            {button('turnOff')}
          </Group>
        )}
      </Stack>
    </div>
  );
}

function Failure({ actions: { task, error } }: { actions: MailboxActions }): ReactElement {
  return <ErrorNote error={error} doing={mailboxTasks[task ?? 'retry'].failed} />;
}

/** What the mailbox would keep, and how to turn it on. It needs an address at Cloudflare. */
function Off({ setup, children }: { setup: CloudflareStatus; children: ReactNode }): ReactElement {
  return (
    <>
      <List size="sm" spacing={2}>
        {mailboxLines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
      {setup.state === 'ready' ? (
        <div>{children}</div>
      ) : (
        <Text size="sm">
          {words.needsAddress}{' '}
          <Anchor href={settingsHash('reach')} inherit underline="always" c="inherit">
            {words.setUp}
          </Anchor>
        </Text>
      )}
    </>
  );
}

/** What is in the mailbox, and what is still to do there. */
function Now({ status }: { status: MailboxStatus }): ReactElement {
  const { kept, copies, leftOut, toCopy, toRemove, lastDrain } = status;
  return (
    <>
      {toRemove > 0 && <WarningNote>{words.toRemove(toRemove)}</WarningNote>}
      {toCopy > 0 && (
        <div>
          <Bar done={copies} total={copies + toCopy} label={words.copyBar} />
          <Text size="sm">{words.copying(copies, copies + toCopy)}</Text>
        </div>
      )}
      <List size="sm" spacing={2}>
        <List.Item>
          {words.kept}: {words.things(kept)}
        </List.Item>
        {toCopy === 0 && (
          <List.Item>
            {words.copies}: {words.copied(copies)}
          </List.Item>
        )}
        {leftOut > 0 && (
          <List.Item>
            {words.leftOut}: {words.tooLarge(leftOut)}
          </List.Item>
        )}
        <List.Item>
          {words.lastDrain}:{' '}
          {lastDrain === null ? (
            words.never
          ) : (
            <>
              <Ago at={lastDrain.at} /> ({words.arrived(lastDrain.arrived)})
            </>
          )}
        </List.Item>
      </List>
    </>
  );
}
