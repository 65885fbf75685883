import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { ForeignSentence } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { Ago } from '../../ui/moment.tsx';
import { Section } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { recentWords } from './words.ts';

const few = 8;
const many = 100;

/** The newest entries of the activity. */
export function RecentActivity(): ReactElement {
  const [limit, setLimit] = useState(few);
  const activity = useAnswer('activity.list', { limit });
  return (
    <Section title={recentWords.title}>
      <Loaded query={activity} what={recentWords.list}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Empty>{recentWords.empty}</Empty>
          ) : (
            <>
              <ul className={shared.list}>
                {items.map((item) => (
                  <li key={item.id} className={shared.row}>
                    <span className={shared.rowBody}>
                      <ForeignSentence text={item.words} />
                    </span>
                    <span className={shared.rowEnd}>
                      <Ago at={item.at} />
                    </span>
                  </li>
                ))}
              </ul>
              {nextCursor !== undefined && limit === few && (
                <Button
                  variant="default"
                  size="xs"
                  style={{ alignSelf: 'flex-start' }}
                  onClick={() => setLimit(many)}
                >
                  {recentWords.more}
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
