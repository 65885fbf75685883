import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { App } from '../../../src-main/contract/sign-ins.ts';
import { Address, Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Until } from '../../ui/moment.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import styles from './apps.module.css';
import { ownNameOf } from './names.ts';
import { MarkdownSwitch } from './markdown-switch.tsx';
import { appDetailWords, appRowWords } from './words.ts';

/** What an app can do, until when, and where it is. */
export function AppDetails({ app }: { app: App }): ReactElement {
  const { permissions, expiresAt, kind } = app;
  return (
    <details className={styles.details}>
      <summary>
        {permissions.length === 0 ? appDetailWords.onlyKnows : appDetailWords.permissions(permissions.length)}
      </summary>
      <ul className={styles.permissions}>
        {permissions.map(({ scope, words }) => (
          <li key={scope}>
            <Foreign text={words} />{' '}
            <span className={shared.scope}>
              <Foreign text={scope} />
            </span>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed">
        {expiresAt === null ? (
          kind === 'manual' ? (
            appDetailWords.endlessToken
          ) : (
            appDetailWords.endlessApp
          )
        ) : (
          <Phrase text={appDetailWords.ends} parts={{ when: <Until at={expiresAt} /> }} />
        )}
      </Text>
      {app.name !== null && (
        <Text size="sm" c="dimmed">
          <Foreign text={appRowWords.ownName(ownNameOf(app))} />
        </Text>
      )}
      {kind === 'app' && (
        <Text size="sm" c="dimmed">
          <Phrase text={appDetailWords.address} parts={{ address: <Address url={app.clientId} /> }} />
        </Text>
      )}
      {writes(app) && <MarkdownSwitch app={app} />}
    </details>
  );
}

const writes = ({ scopes }: App): boolean => scopes.some((scope) => writingScopes.has(scope));
const writingScopes = new Set(['create', 'post', 'draft', 'update']);
