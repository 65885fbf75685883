import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState, type ReactElement } from 'react';
import type { Leftover } from '../../../src-main/contract/data.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { Section } from '../../ui/page.tsx';
import { Phrase } from '../../ui/phrase.tsx';
import { ErrorNote } from '../../ui/states.tsx';
import { exactTime } from '../../ui/time.ts';
import { stateWords } from '../../ui/words.ts';
import { sizeWords } from '../media/words.ts';
import { leftoverWords } from './words.ts';

/** Lists the data that restores replaced. Renders nothing if there is none. */
export function Leftovers(): ReactElement | null {
  const { data = [], error } = useAnswer('data.leftovers', {});
  if (data.length === 0 && !error) return null;
  return (
    <Section title={leftoverWords.heading} about={leftoverWords.about}>
      <ErrorNote error={error} doing={stateWords.failed(leftoverWords.loads)} />
      <ul className={shared.list}>
        {data.map((leftover) => (
          <Row key={leftover.name} leftover={leftover} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ leftover }: { leftover: Leftover }): ReactElement {
  const [asking, setAsking] = useState(false);
  const { path, replacedAt, bytes } = leftover;
  const when = exactTime(replacedAt);
  return (
    <li>
      <div className={shared.row}>
        <div className={shared.rowBody}>
          <Text>
            <Phrase text={leftoverWords.replaced} parts={{ ago: <Ago at={replacedAt} /> }} />,{' '}
            {sizeWords(bytes)}
          </Text>
          <Text size="sm" c="dimmed" className={shared.wrap}>
            <Foreign text={path} />
          </Text>
          <Group gap="xs" mt={6}>
            <CopyButton value={path} what={leftoverWords.thePath(when)} />
            <Button
              variant="default"
              size="xs"
              aria-label={leftoverWords.deleteOf(when)}
              onClick={() => setAsking(true)}
            >
              {leftoverWords.delete}
            </Button>
          </Group>
        </div>
      </div>
      {asking && <DeleteLeftover leftover={leftover} when={when} onClose={() => setAsking(false)} />}
    </li>
  );
}

interface DeleteProps {
  readonly leftover: Leftover;
  /** When the data was replaced, in words. */
  readonly when: string;
  readonly onClose: () => void;
}

function DeleteLeftover({ leftover: { name, bytes }, when, onClose }: DeleteProps): ReactElement {
  const remove = useAction('data.deleteLeftover');
  const onConfirm = () =>
    remove.mutate(
      { name },
      {
        onSuccess: () => {
          notifications.show({ message: leftoverWords.done(when) });
          onClose();
        },
      },
    );
  return (
    <Confirm
      title={leftoverWords.title}
      action={leftoverWords.action}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {leftoverWords.means(when, sizeWords(bytes))}
    </Confirm>
  );
}
