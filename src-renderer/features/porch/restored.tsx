import { Text } from '@mantine/core';
import { IconRestore } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { ForeignSentence } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { useNow } from '../../ui/time.ts';

const shownMs = 3_600_000;

/** Says what a restore brought back, for an hour after it. Later, the activity list says it. */
export function Restored(): ReactElement {
  const now = useNow();
  const { items = [] } = useAnswer('activity.list', { limit: 8 }).data ?? {};
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
