import { Anchor, Button, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { hashOf } from '../../routes.ts';
import { ForeignSentence } from '../../ui/foreign.tsx';
import { IconMailOpened, IconRestore } from '../../ui/icons.ts';
import shared from '../../ui/shared.module.css';
import { useNow } from '../../ui/time.ts';
import { useDismissed } from './dismissed.ts';
import { recentQuestion } from './last-days.tsx';
import { newsWords as words } from './words.ts';

/** Says what the mailbox kept while the computer slept, until the owner dismisses it. */
export function Arrived(): ReactElement {
  const dismissed = useDismissed('arrived');
  const last = useAnswer('mailbox.status', {}).data?.lastDrain ?? null;
  return (
    <div role="status" className={shared.outcome}>
      {last !== null && last.arrived > 0 && !dismissed.has(last.at) && (
        <div className={shared.note}>
          <IconMailOpened size={20} aria-hidden="true" />
          <Text className={shared.rowBody}>
            {words.arrived(last.arrived)}{' '}
            <Anchor
              href={hashOf('webmentions')}
              inherit
              underline="always"
              c="inherit"
              style={{ whiteSpace: 'nowrap' }}
            >
              {words.link}
            </Anchor>
          </Text>
          <Button variant="default" size="compact-sm" onClick={() => dismissed.dismiss(last.at)}>
            {words.dismiss}
          </Button>
        </div>
      )}
    </div>
  );
}

const shownMs = 3_600_000;

/** Says what a restore brought back, for an hour after it. Later, the activity list says it. */
export function Restored(): ReactElement {
  const now = useNow();
  const { items = [] } = useAnswer('activity.list', recentQuestion).data ?? {};
  const restored = items.find(({ kind, at }) => kind === 'data.restored' && now - Date.parse(at) < shownMs);
  return (
    <div role="status" className={shared.outcome}>
      {restored && (
        <div className={shared.note}>
          <IconRestore size={20} aria-hidden="true" />
          <Text className={shared.rowBody}>
            <ForeignSentence text={restored.words} />
          </Text>
        </div>
      )}
    </div>
  );
}
