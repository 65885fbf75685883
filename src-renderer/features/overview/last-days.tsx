import { Anchor, Button } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ActivityItem } from '../../../src-main/contract/activity.ts';
import { useAnswer } from '../../client/queries.ts';
import { hashOf, writeHash } from '../../routes.ts';
import { Section } from '../../ui/page.tsx';
import shared from '../../ui/shared.module.css';
import { Empty, Loaded } from '../../ui/states.tsx';
import { useNow } from '../../ui/time.ts';
import { ActivityRow } from '../activity/activity-row.tsx';
import styles from './overview.module.css';
import { daysWords as words } from './words.ts';

/** What the overview asks of the activity. */
export const recentQuestion = { limit: 12 };
const dayMs = 86_400_000;
const dayName = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });

/** The newest entries of the activity, by day. */
export function LastDays(): ReactElement {
  const activity = useAnswer('activity.list', recentQuestion);
  const now = useNow();
  return (
    <Section title={words.title}>
      <Loaded query={activity} what={words.list}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <Empty
              drawing="door"
              step={
                <Button component="a" href={writeHash()} variant="default">
                  {words.write}
                </Button>
              }
            >
              {words.empty}
            </Empty>
          ) : (
            <>
              {daysOf(items).map(({ day, items: ofDay }) => (
                <section key={day} aria-label={nameOf(day, now)}>
                  <h3 className={styles.day}>{nameOf(day, now)}</h3>
                  <ul className={shared.list}>
                    {ofDay.map((item) => (
                      <li key={item.id} className={styles.happened}>
                        <ActivityRow item={item} />
                      </li>
                    ))}
                  </ul>
                </section>
              ))}
              {nextCursor !== undefined && (
                <Anchor href={hashOf('activity')} underline="always" c="inherit" size="sm">
                  {words.all}
                </Anchor>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** A day in the viewer's time zone. */
const dayOf = (ms: number) => new Date(ms).toDateString();

/** Groups entries, newest first, by day. */
function daysOf(items: readonly ActivityItem[]): { day: string; items: ActivityItem[] }[] {
  const days: { day: string; items: ActivityItem[] }[] = [];
  for (const item of items) {
    const day = dayOf(Date.parse(item.at));
    const last = days.at(-1);
    if (last?.day === day) last.items.push(item);
    else days.push({ day, items: [item] });
  }
  return days;
}

function nameOf(day: string, now: number): string {
  if (day === dayOf(now)) return words.today;
  return day === dayOf(now - dayMs) ? words.yesterday : dayName.format(new Date(day));
}
