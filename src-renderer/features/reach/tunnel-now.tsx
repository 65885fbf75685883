import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { TunnelStatus } from '../../../src-main/contract/reach.ts';
import { useAction } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { PublicAddress } from '../../ui/public-address.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import { tunnelTitle, tunnelWords as words } from './words.ts';

interface Props {
  readonly now: TunnelStatus;
  /** True if Porchlight created the tunnel at Cloudflare, so the owner has no token for it. */
  readonly isManaged: boolean;
}

/** The state of the tunnel, and what the owner can do about it. */
export function TunnelNow({ now, isManaged }: Props): ReactElement {
  const start = useAction('tunnel.start');
  const stop = useAction('tunnel.stop');
  const busy = start.isPending || stop.isPending;
  const isDown = now.state === 'off' || now.state === 'failed';
  return (
    <div className={shared.card} role="group" aria-label={words.group}>
      <Stack gap="sm">
        <div role="status">
          <Text fw={600}>{tunnelTitle(now)}</Text>
          {/* A connected tunnel's words repeat its address, which is below. */}
          {now.state !== 'off' && (now.state !== 'connected' || now.url === null) && (
            <Text size="sm" className={shared.wrap}>
              <Foreign text={now.words} />
            </Text>
          )}
          {now.message !== undefined && (
            <Text size="sm" mt={4} className={shared.wrap}>
              {words.message} <Foreign text={now.message} />
            </Text>
          )}
          {now.reason !== null && (
            <Text size="sm" mt={4}>
              <b>{words.todo}</b>{' '}
              {(isManaged && words.managedReasons[now.reason]) || words.reasons[now.reason]}
            </Text>
          )}
        </div>
        {now.progress !== null && <Download {...now.progress} />}
        {now.url !== null && <PublicAddress url={now.url} />}
        <ErrorNote error={start.error} doing={words.notStarted} />
        <ErrorNote error={stop.error} doing={words.notStopped} />
        <Group>
          {isDown ? (
            <Button color="amber.5" loading={busy} onClick={() => start.mutate({})}>
              {now.state === 'failed' ? words.retry : words.start}
            </Button>
          ) : (
            <Button variant="default" loading={busy} onClick={() => stop.mutate({})}>
              {now.state === 'downloading' ? words.cancel : words.stop}
            </Button>
          )}
        </Group>
      </Stack>
    </div>
  );
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

function Download({ received, total }: { received: number; total: number | null }): ReactElement {
  if (total === null) return <Text size="sm">{words.received(megabytes(received))}</Text>;
  return (
    <div>
      <Progress value={total === 0 ? 0 : (received / total) * 100} aria-label={words.progress} />
      <Text size="sm" c="dimmed" mt={4}>
        {words.receivedOf(megabytes(received), megabytes(total))}
      </Text>
    </div>
  );
}
