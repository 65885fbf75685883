import { Anchor, Button, Group, List, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { CloudflareStatus } from '../../../src-main/contract/reach.ts';
import { settingsHash } from '../../routes.ts';
import { Address, Foreign } from '../../ui/foreign.tsx';
import { PublicAddress } from '../../ui/public-address.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import { TaskDialog } from './task-dialog.tsx';
import { TaskProgress } from './task-progress.tsx';
import { isKeptError, isTokenError, type Cloudflare } from './use-cloudflare.ts';
import { cardWords as words, dialogWords, progressWords } from './words.ts';

interface Props {
  readonly cloudflare: Cloudflare;
  /** Offers links that lead out of the set-up. */
  readonly withLinks: boolean;
}

/** Shows what was set up at Cloudflare, or is being set up. Takes the focus when a task of the owner starts or ends. */
export function CloudflareCard({ cloudflare, withLinks }: Props): ReactElement {
  const { status, state, done, acted } = cloudflare;
  const place = useRef<HTMLDivElement>(null);
  // Without a setup there was either none to begin with, or it was removed.
  const isRemoved = state === 'none' && done !== null;
  const takesFocus = isRemoved || (acted && state !== 'none');
  useEffect(() => {
    if (takesFocus) place.current?.focus();
  }, [takesFocus, state]);
  return (
    <div ref={place} tabIndex={-1} className={shared.outcome}>
      {status.data !== undefined && state !== undefined && state !== 'none' && (
        <div className={shared.card} role="group" aria-label={words.group}>
          <Stack gap="sm">
            {state === 'working' ? (
              <Working cloudflare={cloudflare} />
            ) : state === 'unfinished' ? (
              <Unfinished cloudflare={cloudflare} status={status.data} />
            ) : (
              <Ready cloudflare={cloudflare} status={status.data} withLinks={withLinks} />
            )}
          </Stack>
        </div>
      )}
      {isRemoved && <Text role="status">{words.removed}</Text>}
    </div>
  );
}

function Working({ cloudflare: { progress, status } }: { cloudflare: Cloudflare }): ReactElement {
  const task = progress?.task ?? status.data?.task ?? 'setUp';
  return (
    <>
      <Text fw={600}>{progressWords.titles[task]}</Text>
      <TaskProgress progress={progress} />
    </>
  );
}

interface PartProps {
  readonly cloudflare: Cloudflare;
  readonly status: CloudflareStatus;
}

/** What was interrupted, or failed: the owner resumes or removes it. */
function Unfinished({ cloudflare, status }: PartProps): ReactElement {
  const { task, words: state, created } = status;
  const [asking, setAsking] = useState(false);
  const needsToken = !status.tokenKept || isTokenError(cloudflare.failure?.error);
  const failure = failureOf(cloudflare, 'resume');
  const asks = needsToken || isKeptError(failure);
  return (
    <>
      <Text fw={600}>{words.unfinished[task ?? 'setUp']}</Text>
      <Text size="sm" role="status" className={shared.wrap}>
        <Foreign text={state} />
      </Text>
      <Failed cloudflare={cloudflare} />
      {created.length > 0 && <Created created={created} />}
      <Group>
        <Button color="amber.5" onClick={() => (asks ? setAsking(true) : cloudflare.resume({}))}>
          {words.resume}
        </Button>
        {task !== 'disconnect' && (
          <Disconnect cloudflare={cloudflare} status={status} label={words.remove} needsToken={needsToken} />
        )}
      </Group>
      {asking && (
        <TaskDialog
          {...dialogWords.resume}
          color="amber.5"
          needsToken={needsToken}
          failure={failure}
          onConfirm={cloudflare.resume}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function Ready({ cloudflare, status, withLinks }: PartProps & { withLinks: boolean }): ReactElement {
  const { hostname, created, mailbox, tokenKept } = status;
  const url = hostname === null ? null : `https://${hostname}`;
  const needsToken = !tokenKept || isTokenError(cloudflare.failure?.error);
  return (
    <>
      <Text fw={600} role="status">
        {words.ready}
      </Text>
      {url !== null && <PublicAddress url={url} />}
      <Created created={created} />
      <Text size="sm">
        {mailbox ? words.mailboxOn : words.mailboxOff}{' '}
        {withLinks && (
          <Anchor href={settingsHash('mailbox')} inherit underline="always" c="inherit">
            {words.mailboxLink}
          </Anchor>
        )}
        <br />
        {tokenKept ? words.tokenKept : words.tokenForgotten}
      </Text>
      <Failed cloudflare={cloudflare} />
      <Group>
        <Disconnect
          cloudflare={cloudflare}
          status={status}
          label={words.disconnect}
          needsToken={needsToken}
        />
      </Group>
    </>
  );
}

function Created({ created }: Pick<CloudflareStatus, 'created'>): ReactElement {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {words.created}
      </Text>
      <CreatedList created={created} />
    </div>
  );
}

function Failed({ cloudflare: { failure } }: { cloudflare: Cloudflare }): ReactElement | null {
  return failure && <ErrorNote error={failure.error} doing={words.failed[failure.task]} />;
}

/** Returns why the last task failed here, if it was this one. */
const failureOf = ({ failure }: Cloudflare, task: 'resume' | 'disconnect') =>
  failure?.task === task ? failure.error : null;

interface DisconnectProps extends PartProps {
  readonly label: string;
  readonly needsToken: boolean;
}

/** A button that asks, with a list of what it removes. */
function Disconnect({ cloudflare, status, label, needsToken }: DisconnectProps): ReactElement {
  const [asking, setAsking] = useState(false);
  const { created, hostname } = status;
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {label}
      </Button>
      {asking && (
        <TaskDialog
          {...dialogWords.disconnect}
          color="red.8"
          needsToken={needsToken}
          failure={failureOf(cloudflare, 'disconnect')}
          onConfirm={cloudflare.disconnect}
          onClose={() => setAsking(false)}
        >
          <Text>{created.length > 0 ? dialogWords.removes : dialogWords.removesNothing}</Text>
          <CreatedList created={created} />
          {hostname !== null && created.length > 0 && (
            <Text className={shared.wrap}>{dialogWords.stops(hostname)}</Text>
          )}
        </TaskDialog>
      )}
    </>
  );
}

/** Lists what Porchlight created at Cloudflare. */
function CreatedList({ created }: Pick<CloudflareStatus, 'created'>): ReactElement {
  return (
    <List size="sm" spacing={2}>
      {created.map(({ what, name }) => (
        <List.Item key={`${what} ${name}`}>
          {words.what[what]}: <Address url={name} />
        </List.Item>
      ))}
    </List>
  );
}
