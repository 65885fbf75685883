import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Address } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { blockedWords, webmentionWords } from './publishing-words.ts';
import { settingId } from './setting-props.ts';
import styles from './settings.module.css';

const about = webmentionWords.settings.blocked;

/** Lists the sites that the owner has blocked, each with a button that unblocks it. */
export function BlockedSites(): ReactElement {
  const blocked = useAnswer('webmentions.blockedDomains', {});
  const unblock = useAction('webmentions.unblockDomain');
  return (
    <div
      role="group"
      aria-label={about.label}
      id={settingId('webmentions', 'blocked')}
      tabIndex={-1}
      className={styles.group}
    >
      <Text fw={600} size="sm">
        {about.label}
      </Text>
      <Text c="dimmed" size="xs">
        {about.about}
      </Text>
      <Loaded query={blocked} what={blockedWords.loading}>
        {(domains) =>
          domains.length === 0 ? (
            <Text size="sm" mt={6}>
              {blockedWords.none}
            </Text>
          ) : (
            <ul className={shared.list}>
              {domains.map((domain) => (
                <li key={domain} className={shared.row}>
                  <div className={shared.rowBody}>
                    <Address url={domain} />
                  </div>
                  <SteadyButton
                    variant="default"
                    size="xs"
                    aria-label={blockedWords.unblockSite(domain)}
                    loading={unblock.isPending && unblock.variables.domain === domain}
                    onClick={() => unblock.mutate({ domain })}
                  >
                    {blockedWords.unblock}
                  </SteadyButton>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ErrorNote error={unblock.error} doing={blockedWords.failed} />
    </div>
  );
}
