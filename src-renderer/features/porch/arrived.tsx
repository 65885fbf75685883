import { Anchor, Button, Text } from '@mantine/core';
import { IconMailOpened } from '../../ui/icons.ts';
import type { ReactElement } from 'react';

import { hashOf } from '../../routes.ts';
import shared from '../../ui/shared.module.css';
import { useArrived } from './use-arrived.ts';
import { arrivedWords as words } from './words.ts';

/** Says what the mailbox kept while the computer slept, until the owner dismisses it. */
export function Arrived(): ReactElement {
  const { count, dismiss } = useArrived();
  return (
    <div role="status" className={shared.outcome}>
      {count > 0 && (
        <div className={shared.note}>
          <IconMailOpened size={20} aria-hidden="true" />
          <Text className={shared.rowBody}>
            {words.arrived(count)}{' '}
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
          <Button variant="default" size="compact-sm" onClick={dismiss}>
            {words.dismiss}
          </Button>
        </div>
      )}
    </div>
  );
}
