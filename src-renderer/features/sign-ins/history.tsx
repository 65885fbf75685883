import { Button, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactElement } from 'react';
import { useAction, useAnswer } from '../../client/queries.ts';
import { AppMark } from '../../ui/app-mark.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { Section } from '../../ui/page.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { Loaded } from '../../ui/states.tsx';
import { historyWords, outcomeWords } from './words.ts';

/** The sign-ins that were settled, newest first. Nothing before the first one. */
export function SignInHistory(): ReactElement | null {
  const history = useAnswer('signIns.history', { limit: 50 });
  const undo = useAction('signIns.undo');
  if (history.data?.length === 0) return null;
  return (
    <Section title={historyWords.title}>
      <Loaded query={history} what={historyWords.list}>
        {(past) => (
          <ul className={shared.list}>
            {past.map((item) => (
              <li key={`${item.id} ${item.at}`} className={shared.row}>
                <AppMark name={item.clientName} address={item.clientId} />
                <div className={shared.rowBody}>
                  <Text fw={500} lineClamp={1}>
                    <Foreign text={item.clientName} fallback={hostIn(item.clientId)} />
                  </Text>
                  <Text size="sm" c="dimmed" lineClamp={1}>
                    {outcomeWords[item.outcome]}
                    {item.by !== 'computer' && ' '}
                    {item.by !== 'computer' && <Foreign text={historyWords.by(item.by)} />} ·{' '}
                    <Foreign text={hostIn(item.clientId)} />
                  </Text>
                </div>
                <span className={shared.rowEnd}>
                  <Ago at={item.at} />
                </span>
                {item.canUndo === true && (
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={historyWords.undoOf(item.clientName)}
                    onClick={() =>
                      undo.mutate(
                        { id: item.id },
                        {
                          onSuccess: () =>
                            notifications.show({ message: historyWords.undone(item.clientName) }),
                        },
                      )
                    }
                  >
                    {historyWords.undo}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
