import { Anchor, Button, Group, Switch, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Status } from '../../../src-main/contract/status.ts';
import { useAction } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address } from '../../ui/foreign.tsx';
import { Lamp } from '../../ui/lamp.tsx';
import look from '../../ui/look.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import styles from './porch.module.css';

/** In trouble, the light is on where only the tunnel is missing: the server answers on this computer. */
function titleOf({ server, port }: Status): string {
  if (server === 'off') return 'The light is off';
  if (server === 'on') return 'The light is on';
  return port === null ? 'The light can’t come on' : 'The light is on, but hidden';
}

/** The server, on or off: the one big thing of the porch. */
export function Light({ status }: { status: Status }): ReactElement {
  const turnOn = useAction('server.turnOn');
  const turnOff = useAction('server.turnOff');
  const usePort = useAction('server.usePort');
  const busy = turnOn.isPending || turnOff.isPending || usePort.isPending;
  const lit = status.port !== null;
  const isPublic = status.baseUrl.startsWith('https:');

  const turn = (on: boolean) => {
    turnOn.reset();
    turnOff.reset();
    (on ? turnOn : turnOff).mutate({});
  };

  return (
    <section className={look.card} aria-labelledby="light-title">
      <div className={styles.light}>
        <Lamp lit={lit} size={96} />
        <div className={styles.lightWords}>
          <Title order={2} id="light-title" className={styles.lightTitle}>
            {titleOf(status)}
          </Title>
          <Text role="status" className={look.wrap}>
            {status.server === 'off'
              ? 'While it is off, no app can sign you in or reach this computer.'
              : status.words}
          </Text>
        </div>
        <Switch
          size="xl"
          color={lit ? 'amber.5' : undefined}
          label="Porch light"
          classNames={{ body: styles.switchBody, label: styles.switchLabel }}
          checked={status.server !== 'off'}
          disabled={busy}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
      </div>
      <ErrorNote
        error={turnOn.error ?? turnOff.error}
        doing={turnOn.error ? 'The light did not come on.' : 'The light did not go off.'}
      />
      <ErrorNote error={usePort.error} doing="The port could not be changed." />
      {usePort.isSuccess && status.port !== null && (
        <Text role="status" mt="sm" className={look.wrap}>
          It listens on port {status.port} from now on. If a named tunnel or a proxy of your own leads here,
          let it lead to <code>http://127.0.0.1:{status.port}</code>.
        </Text>
      )}
      {status.server === 'trouble' && (
        <Group mt="md" gap="sm">
          <Button color="amber.5" loading={busy} onClick={() => turn(true)}>
            Try again
          </Button>
          {status.port === null ? (
            <Button variant="default" disabled={busy} onClick={() => usePort.mutate({ port: 0 })}>
              Use another port
            </Button>
          ) : (
            <Button variant="default" component="a" href={hashOf('settings')}>
              See how you are reached
            </Button>
          )}
        </Group>
      )}
      {status.baseUrl !== '' && (
        <Group className={styles.address} gap="sm">
          <div className={look.rowBody}>
            <Text size="sm" c="dimmed">
              {isPublic ? 'Public address' : 'Address on this computer'}
            </Text>
            <Address url={status.baseUrl} />
          </div>
          <CopyButton value={status.baseUrl} what={isPublic ? 'the public address' : 'the address'} />
        </Group>
      )}
      {status.me !== null && (
        <Text size="sm" c="dimmed" mt="xs">
          You sign in as <Address url={status.me} />. Your site has to point here:{' '}
          <Anchor href="#/setup" inherit underline="always" c="inherit">
            see the set-up
          </Anchor>
          .
        </Text>
      )}
    </section>
  );
}
