import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { type Blocks, useBlockedPeople, useBlockedSites } from '../../client/blocks.ts';
import { Address } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { blockedWords, webmentionWords } from './publishing-words.ts';
import { settingId } from './setting-props.ts';
import styles from './settings.module.css';

const about = webmentionWords.settings.blocked;

/** Lists the people and sites that the owner has blocked, each with a button that unblocks it. */
export function Blocked(): ReactElement {
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
      <BlockedList blocks={useBlockedPeople()} none={blockedWords.noPeople} />
      <BlockedList blocks={useBlockedSites()} none={blockedWords.noSites} />
    </div>
  );
}

/** `none`: stands in place of an empty list. */
function BlockedList({ blocks, none }: { blocks: Blocks; none: string }): ReactElement {
  const { list, unblock, unblocking, unblockError } = blocks;
  return (
    <>
      <Loaded query={list} what={blockedWords.loading}>
        {(entries) =>
          entries.length === 0 ? (
            <Text size="sm" mt={6}>
              {none}
            </Text>
          ) : (
            <ul className={shared.list}>
              {entries.map((entry) => (
                <li key={entry} className={shared.row}>
                  <div className={shared.rowBody}>
                    <Address url={entry} />
                  </div>
                  <SteadyButton
                    variant="default"
                    size="xs"
                    aria-label={blockedWords.unblockEntry(entry)}
                    loading={unblocking === entry}
                    onClick={() => void unblock(entry).catch(() => undefined)} // the error is shown below
                  >
                    {blockedWords.unblock}
                  </SteadyButton>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ErrorNote error={unblockError} doing={blockedWords.failed} />
    </>
  );
}
