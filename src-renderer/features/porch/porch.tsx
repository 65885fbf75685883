import { Button } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAnswer } from '../../client/queries.ts';
import { Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import { Ago } from '../../ui/moment.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Empty, Loaded, WarningNote } from '../../ui/states.tsx';
import { Light } from './light.tsx';
import { NextStep } from './next-step.tsx';
import { Waiting } from './waiting.tsx';

/** The first screen: the light, what waits, what is wrong, what happened. */
export function Porch(): ReactElement {
  const status = useAnswer('status.get', {});
  return (
    <Page title="Porch" titleHidden>
      <Loaded query={status} what="how the light is">
        {(now) => (
          <>
            <Light status={now} />
            <NextStep status={now} />
            {now.problems.length > 0 && (
              <Section title="Needs your attention">
                {now.problems.map(({ code, message }) => (
                  <WarningNote key={`${code} ${message}`}>
                    <Foreign text={message} />
                  </WarningNote>
                ))}
              </Section>
            )}
          </>
        )}
      </Loaded>
      <Waiting />
      <RecentActivity />
    </Page>
  );
}

const few = 8;
const many = 100;

function RecentActivity(): ReactElement {
  const [limit, setLimit] = useState(few);
  const activity = useAnswer('activity.list', { limit });
  return (
    <Section title="What happened lately">
      <Loaded query={activity} what="what happened">
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Empty>Nothing has happened yet. Sign-ins and changes to your server are noted here.</Empty>
          ) : (
            <>
              <ul className={look.list}>
                {items.map((item) => (
                  <li key={item.id} className={look.row}>
                    <span className={look.rowBody}>
                      <Foreign text={item.words} />
                    </span>
                    <span className={look.rowEnd}>
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
                  Show more
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
