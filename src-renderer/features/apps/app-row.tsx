import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState, type ReactElement } from 'react';
import type { App } from '../../../src-main/contract/apps.ts';
import { useAction } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Address, Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { Ago, Until } from '../../ui/moment.tsx';
import { hostOf, plainText } from '../../ui/plain-text.ts';
import styles from './apps.module.css';

/** One app: a line, and behind it what it may do. */
export function AppRow({ app }: { app: App }): ReactElement {
  const [asking, setAsking] = useState(false);
  const revoke = useAction('apps.revoke');
  const manual = app.kind === 'manual';
  const name = plainText(app.clientName) || hostOf(app.clientId);
  const verb = manual ? 'Revoke' : 'Sign out';

  const onConfirm = () =>
    revoke.mutate(
      { id: app.id },
      {
        onSuccess: () => {
          notifications.show({
            message: manual ? `The token ${name} is revoked.` : `${name} is signed out.`,
          });
          setAsking(false);
        },
      },
    );

  return (
    <li>
      <div className={look.row}>
        <AppMark name={name} logo={app.clientLogo} />
        <div className={look.rowBody}>
          <Text fw={600} lineClamp={2}>
            <Foreign text={name} />
          </Text>
          <Text size="sm" c="dimmed" lineClamp={1}>
            {manual ? 'Token made by hand' : <Foreign text={hostOf(app.clientId)} />} · {lastUse(app)}
          </Text>
        </div>
        <Button variant="default" size="xs" aria-label={`${verb} ${name}`} onClick={() => setAsking(true)}>
          {verb}
        </Button>
      </div>
      <AppDetails app={app} />
      {asking && (
        <Confirm
          title={
            <>
              {verb} <Foreign text={name} />?
            </>
          }
          action={verb}
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={onConfirm}
          onClose={() => {
            revoke.reset();
            setAsking(false);
          }}
        >
          {manual
            ? 'Whatever uses this token stops working at once. This can’t be undone; you would have to make a new token.'
            : 'It stops working at once. This can’t be undone; the app would have to ask you again.'}
        </Confirm>
      )}
    </li>
  );
}

function lastUse(app: App): ReactElement {
  if (app.lastUsedAt === null) return <>not used yet</>;
  return (
    <>
      used <Ago at={app.lastUsedAt} />
    </>
  );
}

function AppDetails({ app }: { app: App }): ReactElement {
  const { permissions } = app;
  return (
    <details className={styles.details}>
      <summary>
        {permissions.length === 0 ? 'May only know who you are' : `What it may do (${permissions.length})`}
      </summary>
      <ul className={styles.permissions}>
        {permissions.map(({ scope, words }) => (
          <li key={scope}>
            <Foreign text={words} />{' '}
            <span className={look.scope}>
              <Foreign text={scope} />
            </span>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        Since <Ago at={app.createdAt} /> ·{' '}
        {app.expiresAt === null ? (
          app.kind === 'manual' ? (
            'until you revoke it'
          ) : (
            'until you sign it out'
          )
        ) : (
          <>
            ends <Until at={app.expiresAt} />
          </>
        )}
      </Text>
      {app.kind === 'app' && (
        <Text size="sm" c="dimmed">
          Its own address: <Address url={app.clientId} />
        </Text>
      )}
    </details>
  );
}
