import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Address } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { ErrorNote, Loaded } from '../../ui/states.tsx';
import { SteadyButton } from '../../ui/steady-button.tsx';

/** Sites that the owner takes no mentions from, each with its way back. */
export function BlockedSites(): ReactElement {
  const blocked = useAnswer('webmentions.blockedDomains', {});
  const unblock = useAction('webmentions.unblockDomain');
  return (
    <div role="group" aria-label="Blocked sites">
      <Text fw={600} size="sm">
        Blocked sites
      </Text>
      <Text c="dimmed" size="xs">
        Porchlight takes no mentions from them. You block a site where you read a mention from it.
      </Text>
      <Loaded query={blocked} what="the blocked sites">
        {(domains) =>
          domains.length === 0 ? (
            <Text size="sm" mt={6}>
              None.
            </Text>
          ) : (
            <ul className={look.list}>
              {domains.map((domain) => (
                <li key={domain} className={look.row}>
                  <div className={look.rowBody}>
                    <Address url={domain} />
                  </div>
                  <SteadyButton
                    variant="default"
                    size="xs"
                    aria-label={`Unblock ${domain}`}
                    loading={unblock.isPending && unblock.variables.domain === domain}
                    onClick={() => unblock.mutate({ domain })}
                  >
                    Unblock
                  </SteadyButton>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ErrorNote error={unblock.error} doing="It was not unblocked." />
    </div>
  );
}
