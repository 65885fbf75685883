import { Button, Group, Switch, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Status } from '../../../src-main/contract/status.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { settingsHash } from '../../routes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address, Outside } from '../../ui/foreign.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { Lamp } from '../../ui/lamp.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import { OwnerLine } from './owner-line.tsx';
import styles from './porch.module.css';
import { lightWords } from './words.ts';

/** In trouble with a port, only the tunnel is missing: the server answers on this computer. */
function titleOf({ server, port }: Status): string {
  if (server === 'off') return lightWords.off;
  if (server === 'on') return lightWords.on;
  return port === null ? lightWords.stuck : lightWords.hidden;
}

/** The server, on or off, and whose it is. */
export function Light({ status }: { status: Status }): ReactElement {
  const turnOn = useAction('server.turnOn');
  const turnOff = useAction('server.turnOff');
  const usePort = useAction('server.usePort');
  const folder = useAnswer('settings.get', {}).data?.siteFolder;
  const busy = turnOn.isPending || turnOff.isPending || usePort.isPending;
  const lit = status.port !== null;
  const isPublic = status.baseUrl.startsWith('https:');

  const turn = (on: boolean) => {
    turnOn.reset();
    turnOff.reset();
    (on ? turnOn : turnOff).mutate({});
  };

  return (
    <section className={shared.card} aria-labelledby="light-title">
      {status.me !== null && <OwnerLine me={status.me} />}
      <div className={styles.light}>
        <Lamp lit={lit} size={96} />
        <div className={styles.lightWords}>
          <Title order={2} id="light-title" className={styles.lightTitle}>
            {titleOf(status)}
          </Title>
          <Text role="status" className={shared.wrap}>
            {status.server === 'off' ? lightWords.offMeans : status.words}
          </Text>
        </div>
        <Switch
          size="xl"
          color={lit ? 'amber.5' : undefined}
          label={lightWords.switch}
          classNames={{ body: styles.switchBody, label: styles.switchLabel }}
          checked={status.server !== 'off'}
          disabled={busy}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
      </div>
      <ErrorNote
        error={turnOn.error ?? turnOff.error}
        doing={turnOn.error ? lightWords.onFailed : lightWords.offFailed}
      />
      <ErrorNote error={usePort.error} doing={lightWords.portFailed} />
      {usePort.isSuccess && status.port !== null && (
        <Text role="status" mt="sm" className={shared.wrap}>
          {lightWords.newPort(status.port)}{' '}
          <Phrase
            text={lightWords.newPortFollows}
            parts={{ address: <code>http://127.0.0.1:{status.port}</code> }}
          />
        </Text>
      )}
      {status.server === 'trouble' && (
        <Group mt="md" gap="sm">
          <Button color="amber.5" loading={busy} onClick={() => turn(true)}>
            {lightWords.tryAgain}
          </Button>
          {status.port === null ? (
            <Button variant="default" disabled={busy} onClick={() => usePort.mutate({ port: 0 })}>
              {lightWords.otherPort}
            </Button>
          ) : (
            <Button variant="default" component="a" href={settingsHash('reach')}>
              {lightWords.reach}
            </Button>
          )}
        </Group>
      )}
      {status.baseUrl !== '' && (
        <Group className={styles.address} gap="sm">
          <div className={shared.rowBody}>
            <Text size="sm" c="dimmed">
              {isPublic ? lightWords.publicAddress : lightWords.localAddress}
            </Text>
            <Address url={status.baseUrl} />
          </div>
          <CopyButton value={status.baseUrl} what={isPublic ? lightWords.copyPublic : lightWords.copyLocal} />
        </Group>
      )}
      {folder?.on === true && (
        <div className={styles.address}>
          <Text size="sm" c="dimmed">
            {lightWords.publishesTo}
          </Text>
          <Outside url={folder.baseUrl} />
        </div>
      )}
    </section>
  );
}
