import { Button, Text, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconMinus,
  IconRefresh,
  type Icon,
} from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import type { Delivery } from '../../../src-main/contract/deliveries.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Foreign, Outside } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import styles from './sent-mentions.module.css';

const states: Record<Delivery['state'], { readonly words: string; readonly Icon: Icon }> = {
  sent: { words: 'Sent', Icon: IconCheck },
  waiting: { words: 'Waiting', Icon: IconClock },
  failed: { words: 'Not sent', Icon: IconAlertTriangle },
  'no-endpoint': { words: 'Takes none', Icon: IconMinus },
};
/** Rows at first: what went wrong stands in front of them. */
const fewRows = 8;

/** What the pages that a post links were told; nothing where it links none. */
export function SentMentions({ source }: { source: string }): ReactElement | null {
  const { data, error } = useAnswer('webmentions.deliveries', { source });
  const [all, setAll] = useState(false);
  if (error) return <ErrorNote error={error} doing="Porchlight could not read which mentions were sent." />;
  if (!data || data.length === 0) return null;
  const sorted = [...data.filter(isFailed), ...data.filter((one) => !isFailed(one))];
  const shown = all ? sorted : sorted.slice(0, fewRows);
  return (
    <section aria-labelledby="sent-mentions">
      <Title order={3} id="sent-mentions">
        Mentions sent
      </Title>
      <ul className={styles.list}>
        {shown.map((delivery) => (
          <Row key={delivery.target} delivery={delivery} />
        ))}
      </ul>
      {shown.length < sorted.length && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          Show all {sorted.length.toLocaleString('en')}
        </Button>
      )}
    </section>
  );
}

function Row({ delivery }: { delivery: Delivery }): ReactElement {
  const { source, target, state, words, at } = delivery;
  const retry = useAction('webmentions.retryDelivery');
  const { words: stateWords, Icon } = states[state];
  return (
    <li className={styles.row} data-state={state}>
      <Icon size={16} className={styles.icon} aria-hidden="true" />
      <div className={styles.words}>
        <span className={styles.target}>
          <Outside url={target} />
        </span>
        <Text size="xs" c="dimmed">
          <b>{stateWords}</b>, <Ago at={at} />
        </Text>
        {words !== '' && state !== 'no-endpoint' && (
          <Text size="xs" c="dimmed">
            <Foreign text={words} />
          </Text>
        )}
        <ErrorNote error={retry.error} doing="It is not tried again." />
      </div>
      {isFailed(delivery) && (
        <Button
          variant="default"
          size="compact-xs"
          className={styles.again}
          loading={retry.isPending}
          leftSection={<IconRefresh size={14} aria-hidden="true" />}
          onClick={() => retry.mutate({ source, target })}
        >
          Try again
        </Button>
      )}
    </li>
  );
}

const isFailed = ({ state }: Delivery) => state === 'failed';
