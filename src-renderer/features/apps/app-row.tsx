import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { App } from '../../../src-main/contract/sign-ins.ts';
import { useAction } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { IconPencil } from '../../ui/icons.ts';
import { Ago } from '../../ui/moment.tsx';
import { ActionRow, copyItem } from '../../ui/more-menu.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { bringIntoView } from '../../ui/stillness.ts';
import { AppDetails } from './app-details.tsx';
import { nameOf } from './names.ts';
import { RenameDialog } from './rename-dialog.tsx';
import styles from './apps.module.css';
import { appRowWords, renameWords } from './words.ts';

interface Props {
  readonly app: App;
  /** True where the owner came for this one. */
  readonly asked: boolean;
}

/** One app: what it is and when it was used, and behind it what it can do. */
export function AppRow({ app, asked }: Props): ReactElement {
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!asked || !row.current) return;
    row.current.focus({ preventScroll: true });
    bringIntoView(row.current, 'center');
  }, [asked]);
  const [asking, setAsking] = useState<'revoke' | 'rename' | null>(null);
  const revoke = useAction('apps.revoke');
  const manual = app.kind === 'manual';
  const name = nameOf(app);
  const isOut = app.mustSignInAgain === true;
  const verb = isOut ? appRowWords.remove : manual ? appRowWords.revoke : appRowWords.signOut;

  const onConfirm = () =>
    revoke.mutate(
      { id: app.id },
      {
        onSuccess: () => {
          const done = isOut ? appRowWords.removed : manual ? appRowWords.revoked : appRowWords.signedOut;
          notifications.show({ message: done(name) });
          setAsking(null);
        },
      },
    );

  return (
    <li ref={row} tabIndex={-1} className={styles.app}>
      <div className={shared.row}>
        <AppMark name={name} address={app.clientId} logo={app.clientLogo} />
        <div className={shared.rowBody}>
          <Text fw={600} lineClamp={2}>
            <Foreign text={name} />
          </Text>
          {isOut && (
            <Text size="sm" fw={600}>
              {manual ? appRowWords.worksNoMore : appRowWords.mustSignInAgain}
            </Text>
          )}
          <Text size="sm" c="dimmed">
            {manual ? appRowWords.token : <Foreign text={hostIn(app.clientId)} />} · <FirstUse app={app} /> ·{' '}
            <LastUse at={app.lastUsedAt} />
          </Text>
          {app.calls !== undefined && (
            <Text size="sm" c="dimmed">
              {appRowWords.calls(app.calls)}
            </Text>
          )}
        </div>
        <ActionRow
          label={appRowWords.moreOf(name)}
          items={[
            !isOut && { label: renameWords.open, Icon: IconPencil, onClick: () => setAsking('rename') },
            !manual && copyItem(app.clientId, appRowWords.address),
          ]}
        >
          <Button
            variant="default"
            size="xs"
            aria-label={appRowWords.verbOf(verb, name)}
            onClick={() => setAsking('revoke')}
          >
            {verb}
          </Button>
        </ActionRow>
      </div>
      <AppDetails app={app} />
      {asking === 'rename' && <RenameDialog app={app} onClose={() => setAsking(null)} />}
      {asking === 'revoke' && (
        <Confirm
          title={<Phrase text={appRowWords.question} parts={{ verb, app: <Foreign text={name} /> }} />}
          action={verb}
          busy={revoke.isPending}
          error={revoke.error}
          onConfirm={onConfirm}
          onClose={() => {
            revoke.reset();
            setAsking(null);
          }}
        >
          {isOut ? appRowWords.removeMeans : manual ? appRowWords.revokeMeans : appRowWords.signOutMeans}
        </Confirm>
      )}
    </li>
  );
}

function FirstUse({ app: { kind, createdAt, device } }: { app: App }): ReactElement {
  const ago = <Ago at={createdAt} />;
  if (kind === 'manual') return <Phrase text={appRowWords.created} parts={{ ago }} />;
  return device === null ? (
    <Phrase text={appRowWords.since} parts={{ ago }} />
  ) : (
    <Phrase text={appRowWords.sinceFrom} parts={{ ago, device }} />
  );
}

function LastUse({ at }: { at: string | null }): ReactElement {
  if (at === null) return <>{appRowWords.notUsed}</>;
  return <Phrase text={appRowWords.lastUsed} parts={{ ago: <Ago at={at} /> }} />;
}
