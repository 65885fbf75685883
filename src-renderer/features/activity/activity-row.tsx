import { VisuallyHidden } from '@mantine/core';
import type { ReactElement } from 'react';
import { areaOf, type ActivityItem } from '../../../src-main/contract/activity.ts';
import { ForeignSentence } from '../../ui/foreign.tsx';
import { Ago } from '../../ui/moment.tsx';
import { areas } from './areas.ts';
import styles from './activity.module.css';

/** One thing that happened. */
export function ActivityRow({ item }: { item: ActivityItem }): ReactElement {
  const { words, Icon } = areas[areaOf(item.kind)];
  return (
    <div className={styles.row}>
      <span className={styles.area} title={words}>
        <Icon size={18} stroke={1.6} aria-hidden="true" />
        <VisuallyHidden>{words}: </VisuallyHidden>
      </span>
      <span className={styles.words}>
        <ForeignSentence text={item.words} />
      </span>
      <span className={styles.time}>
        <Ago at={item.at} />
      </span>
    </div>
  );
}
