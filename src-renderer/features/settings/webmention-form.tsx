import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Settings } from '../../../src-main/contract/settings.ts';
import { type Blocks, useBlockedPeople, useBlockedSites } from '../../client/blocks.ts';
import { Address } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';
import { blockedSetting } from './search.ts';
import { addressProblem, SettingGroup, sitesProblem } from './setting-field.tsx';
import { AreaForm, useSettingsForm } from './settings-form.tsx';

const words = {
  loading: 'the blocked people and sites',
  noPeople: 'No people are blocked.',
  noSites: 'No sites are blocked.',
  unblock: 'Unblock',
  unblockEntry: (entry: string) => `Unblock ${entry}`,
  failed: 'Porchlight could not unblock this.',
};

/** Sets which mentions wait for approval, which sites are trusted, and where older mentions come from. */
export function WebmentionForm({ webmention }: { webmention: Settings['webmention'] }): ReactElement {
  const form = useSettingsForm('webmention', webmention);
  const { trustedDomains, hosts, aggregatorUrl } = form.shown;
  return (
    <AreaForm
      page="webmentions"
      form={form}
      problems={{
        trustedDomains: sitesProblem(trustedDomains),
        hosts: sitesProblem(hosts),
        aggregatorUrl: addressProblem(aggregatorUrl),
      }}
    />
  );
}

/** Lists the people and sites that the owner has blocked, each with a button that unblocks it. */
export function Blocked(): ReactElement {
  return (
    <SettingGroup page="webmentions" name="blocked" words={blockedSetting}>
      <BlockedList blocks={useBlockedPeople()} none={words.noPeople} />
      <BlockedList blocks={useBlockedSites()} none={words.noSites} />
    </SettingGroup>
  );
}

/** `none`: stands in place of an empty list. */
function BlockedList({ blocks, none }: { blocks: Blocks; none: string }): ReactElement {
  const { list, unblock, unblocking, unblockError } = blocks;
  return (
    <>
      <Loaded query={list} what={words.loading}>
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
                    aria-label={words.unblockEntry(entry)}
                    loading={unblocking === entry}
                    onClick={() => void unblock(entry).catch(() => undefined)} // the error is shown below
                  >
                    {words.unblock}
                  </SteadyButton>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ErrorNote error={unblockError} doing={words.failed} />
    </>
  );
}
