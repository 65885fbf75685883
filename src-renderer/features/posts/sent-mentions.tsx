import { Button, Text, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconMinus,
  IconRefresh,
  type Icon,
} from '../../ui/icons.ts';
import { useState, type ReactElement } from 'react';
import { targetName, type Delivery } from '../../../src-main/contract/posts.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Foreign, Outside } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { hostIn } from '../../ui/plain-text.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { commonWords } from '../../ui/words.ts';
import styles from './sent-mentions.module.css';
import { deliveryWords, sentWords } from './words.ts';

const icons: Record<Delivery['state'], Icon> = {
  sent: IconCheck,
  waiting: IconClock,
  failed: IconAlertTriangle,
  'no-endpoint': IconMinus,
};
/** The rows before the owner asks for all. Failed webmentions come first. */
const fewRows = 8;

/** The webmentions that Porchlight sent for a post. Renders nothing for a post without links. */
export function SentMentions({ source }: { source: string }): ReactElement | null {
  const { data, error } = useAnswer('webmentions.deliveries', { source });
  const [all, setAll] = useState(false);
  if (error) return <ErrorNote error={error} doing={sentWords.failed} />;
  if (!data || data.length === 0) return null;
  const sorted = [...data.filter(isFailed), ...data.filter((one) => !isFailed(one))];
  const shown = all ? sorted : sorted.slice(0, fewRows);
  return (
    <section aria-labelledby="sent-mentions">
      <Title order={3} id="sent-mentions">
        {sentWords.title}
      </Title>
      <ul className={styles.list}>
        {shown.map((delivery) => (
          <Row key={delivery.target} delivery={delivery} />
        ))}
      </ul>
      {shown.length < sorted.length && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          {sentWords.showAll(sorted.length.toLocaleString('en'))}
        </Button>
      )}
    </section>
  );
}

function Row({ delivery }: { delivery: Delivery }): ReactElement {
  const { source, target, state, words, at, copy } = delivery;
  const retry = useAction('webmentions.retryDelivery');
  const targets = useAnswer('settings.get', {}).data?.micropub.syndicateTo;
  const name = targetName(target, targets);
  const Icon = icons[state];
  return (
    <li className={styles.row} data-state={state}>
      <Icon size={16} className={styles.icon} aria-hidden="true" />
      <div className={styles.words}>
        <span className={styles.target}>
          <Outside url={target} {...(name !== undefined && { words: name })} />
        </span>
        <Text size="xs" c="dimmed">
          <b>{deliveryWords[state]}</b> · <Ago at={at} />
        </Text>
        {words !== '' && state !== 'no-endpoint' && (
          <Text size="xs" c="dimmed">
            <Foreign text={words} />
          </Text>
        )}
        {copy !== undefined && (
          <Text size="xs" c="dimmed">
            <Outside url={copy} words={sentWords.openCopy(hostIn(copy))} />
          </Text>
        )}
        <ErrorNote error={retry.error} doing={sentWords.retryFailed} />
      </div>
      {(isFailed(delivery) || (state === 'sent' && copy !== undefined)) && (
        <Button
          variant="default"
          size="compact-xs"
          className={styles.again}
          loading={retry.isPending}
          leftSection={<IconRefresh size={14} aria-hidden="true" />}
          onClick={() => retry.mutate({ source, target })}
        >
          {isFailed(delivery) ? commonWords.tryAgain : sentWords.sendAgain}
        </Button>
      )}
    </li>
  );
}

const isFailed = ({ state }: Delivery) => state === 'failed';
