import { Button, Group, Switch, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Status } from '../../../src-main/contract/status.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { settingsHash } from '../../routes.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Address, Outside } from '../../ui/foreign.tsx';
import { Lamp } from '../../ui/lamp.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import shared from '../../ui/shared.module.css';
import { ErrorNote } from '../../ui/states.tsx';
import styles from './overview.module.css';
import { lightWords as words } from './words.ts';

/** In trouble with a port, only the tunnel is missing: the server answers on this computer. */
function titleOf({ server, port }: Status): string {
  if (server === 'off') return words.off;
  if (server === 'on') return words.on;
  return port === null ? words.stuck : words.hidden;
}

/** How the state in words begins, where the title and the address say the same. */
const known =
  /^(?:On, )?(?:but )?(?:not reachable: |reachable (?:on this computer only, )?at \S+?(?:\. |$))?/i;

/** Returns what the title and the address don't say yet: nothing while all is well. */
function detailOf({ server, words: state }: Status): string {
  if (server === 'off') return words.offMeans;
  const rest = state.replace(known, '');
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** The server, on or off, and its address: the state, said once. */
export function Light({ status }: { status: Status }): ReactElement {
  const turnOn = useAction('server.turnOn');
  const turnOff = useAction('server.turnOff');
  const usePort = useAction('server.usePort');
  const busy = turnOn.isPending || turnOff.isPending || usePort.isPending;
  const lit = status.port !== null;
  const detail = detailOf(status);

  const turn = (on: boolean) => {
    turnOn.reset();
    turnOff.reset();
    (on ? turnOn : turnOff).mutate({});
  };

  return (
    <section className={shared.card} aria-labelledby="light-title">
      <div className={styles.light}>
        <Lamp lit={lit} size={72} />
        <div role="status" className={styles.state}>
          <Title order={2} id="light-title" className={styles.lightTitle}>
            {titleOf(status)}
          </Title>
          {detail !== '' && <Text className={shared.wrap}>{detail}</Text>}
        </div>
        <div className={styles.lightWords}>
          {status.baseUrl !== '' && <PublicAddress url={status.baseUrl} />}
          <WhoAndWhere me={status.me} />
        </div>
        <Switch
          size="xl"
          className={styles.switch}
          color={lit ? 'amber.5' : undefined}
          aria-label={words.switch}
          checked={status.server !== 'off'}
          disabled={busy}
          onChange={(event) => turn(event.currentTarget.checked)}
        />
      </div>
      <ErrorNote
        error={turnOn.error ?? turnOff.error}
        doing={turnOn.error ? words.onFailed : words.offFailed}
      />
      <ErrorNote error={usePort.error} doing={words.portFailed} />
      {usePort.isSuccess && status.port !== null && (
        <Text role="status" mt="sm" className={shared.wrap}>
          {words.newPort(status.port)}{' '}
          <Phrase
            text={words.newPortFollows}
            parts={{ address: <code>http://127.0.0.1:{status.port}</code> }}
          />
        </Text>
      )}
      {status.server === 'trouble' && (
        <Group mt="md" gap="sm">
          <Button color="amber.5" loading={busy} onClick={() => turn(true)}>
            {words.tryAgain}
          </Button>
          {status.port === null ? (
            <Button variant="default" disabled={busy} onClick={() => usePort.mutate({ port: 0 })}>
              {words.otherPort}
            </Button>
          ) : (
            <Button variant="default" component="a" href={settingsHash('reach')}>
              {words.reach}
            </Button>
          )}
        </Group>
      )}
    </section>
  );
}

/** The address, which opens in the browser, and the button that copies it. */
function PublicAddress({ url }: { url: string }): ReactElement {
  const isPublic = url.startsWith('https:');
  return (
    <div className={styles.address}>
      <span className={shared.hidden}>{isPublic ? words.publicAddress : words.localAddress}: </span>
      <Outside url={url} />
      <CopyButton value={url} what={isPublic ? words.copyPublic : words.copyLocal} />
    </div>
  );
}

/** The domain with which apps know the owner, and the site where posts appear if it is another one. */
function WhoAndWhere({ me }: { me: string | null }): ReactElement | null {
  const folder = useAnswer('settings.get', {}).data?.siteFolder;
  const isElsewhere = folder?.on === true;
  if (me === null && !isElsewhere) return null;
  return (
    <Text size="sm" c="dimmed">
      {me !== null && <Phrase text={words.signsInAs} parts={{ me: <Address url={me} /> }} />}{' '}
      {isElsewhere && (
        <Phrase
          text={words.publishesTo}
          parts={{ site: <Outside url={folder.baseUrl} words={hostIn(folder.baseUrl)} /> }}
        />
      )}
    </Text>
  );
}
