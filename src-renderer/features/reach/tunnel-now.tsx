import { Button, Group, Progress, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { TunnelReason, TunnelStatus } from '../../../src-main/contract/tunnel.ts';
import { useAction } from '../../client/queries.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { ErrorNote } from '../../ui/states.tsx';

const steps: Record<TunnelReason, string> = {
  rate_limited: 'Wait some minutes, or choose a tunnel with a name of your own: it has no such limit.',
  bad_token: 'Copy the token from the Cloudflare dashboard once more, paste it above, and save.',
  no_token: 'Paste the token of your tunnel above, and save.',
  token_unreadable: 'Unlock the keychain of this computer, then try again.',
  no_network: 'Look whether this computer is online, and whether a firewall keeps port 7844 shut.',
  binary_missing: 'Install cloudflared from Cloudflare’s downloads, then try again.',
  download_failed: 'Look whether this computer is online and has room on its disk, then try again.',
  crashed: 'Try again. If it goes on, the log has what cloudflared said.',
};

/** How the tunnel is at this moment, and what can be done about it. */
export function TunnelNow({ now }: { now: TunnelStatus }): ReactElement {
  const start = useAction('tunnel.start');
  const stop = useAction('tunnel.stop');
  const busy = start.isPending || stop.isPending;
  const isDown = now.state === 'off' || now.state === 'failed';
  return (
    <div className={look.card} role="group" aria-label="The tunnel now">
      <Stack gap="sm">
        <div role="status">
          <Text fw={600}>{title(now)}</Text>
          {now.state !== 'off' && (
            <Text size="sm" className={look.wrap}>
              <Foreign text={now.words} />
            </Text>
          )}
          {now.reason !== null && (
            <Text size="sm" mt={4}>
              <b>What to do:</b> {steps[now.reason]}
            </Text>
          )}
        </div>
        {now.progress !== null && <Download {...now.progress} />}
        {now.url !== null && (
          <Group gap="sm">
            <div className={look.rowBody}>
              <Text size="sm" c="dimmed">
                Public address
              </Text>
              <Address url={now.url} />
            </div>
            <CopyButton value={now.url} what="the public address" />
          </Group>
        )}
        <ErrorNote error={start.error} doing="The tunnel was not started." />
        <ErrorNote error={stop.error} doing="The tunnel was not stopped." />
        <Group>
          {isDown ? (
            <Button color="amber.5" loading={busy} onClick={() => start.mutate({})}>
              {now.state === 'failed' ? 'Try again' : 'Start'}
            </Button>
          ) : (
            <Button variant="default" loading={busy} onClick={() => stop.mutate({})}>
              {now.state === 'downloading' ? 'Cancel' : 'Stop'}
            </Button>
          )}
        </Group>
      </Stack>
    </div>
  );
}

function title({ state, connections }: TunnelStatus): string {
  switch (state) {
    case 'off':
      return 'The tunnel is stopped';
    case 'downloading':
      return 'Getting ready';
    case 'starting':
      return 'Starting';
    case 'connected':
      return connections === 1 ? 'Connected, by 1 connection' : `Connected, by ${connections} connections`;
    case 'reconnecting':
      return 'Reconnecting';
    case 'failed':
      return 'The tunnel does not work';
  }
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);

function Download({ received, total }: { received: number; total: number | null }): ReactElement {
  if (total === null) return <Text size="sm">{megabytes(received)} MB so far</Text>;
  return (
    <div>
      <Progress value={total === 0 ? 0 : (received / total) * 100} aria-label="How far the download is" />
      <Text size="sm" c="dimmed" mt={4}>
        {megabytes(received)} of {megabytes(total)} MB
      </Text>
    </div>
  );
}
