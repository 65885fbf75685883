import { Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, type Icon } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Finding } from '../../../src-main/contract/setup.ts';
import { Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import styles from './setup.module.css';
import { findingWords, summaryOf } from './words.ts';

const levels: Record<Finding['level'], { Icon: Icon; className: string | undefined }> = {
  pass: { Icon: IconCircleCheck, className: styles.pass },
  warning: { Icon: IconAlertTriangle, className: styles.warning },
  fail: { Icon: IconCircleX, className: styles.fail },
};

const areas = ['address', 'site', 'computer'] as const satisfies readonly Finding['area'][];

/** The findings, grouped by where to fix them: problems first, then a line for each check that passed. */
export function Findings({ findings }: { findings: readonly Finding[] }): ReactElement {
  const shown = areas

    .map((area) => ({
      words: findingWords.areas[area],
      found: findings.filter((finding) => finding.area === area),
    }))
    .filter(({ found }) => found.length > 0);
  return (
    <>
      <Text fw={600} role="status">
        {summaryOf(findings)}
      </Text>
      {shown.map(({ words, found }) => (
        <section key={words} aria-label={words}>
          {shown.length > 1 && (
            <Text size="sm" fw={600} c="dimmed">
              {words}
            </Text>
          )}
          <ul className={look.list}>
            {sorted(found).map((finding) => (
              <Line key={finding.id} {...finding} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Line({ level, title, detail, fix }: Finding): ReactElement {
  const { Icon, className } = levels[level];
  return (
    <li className={`${styles.finding} ${level === 'pass' ? styles.good : ''}`}>
      <Icon size={level === 'pass' ? 18 : 22} className={className} aria-hidden="true" />
      <div className={look.rowBody}>
        <Text fw={level === 'pass' ? 400 : 600} size={level === 'pass' ? 'sm' : 'md'}>
          <span className={className}>{findingWords.levels[level]}</span> <Foreign text={title} />
        </Text>
        <Text size={level === 'pass' ? 'xs' : 'sm'} c="dimmed" className={look.wrap}>
          <Foreign text={detail} />
        </Text>
        {fix !== undefined && (
          <Text size="sm" mt={4} className={look.wrap}>
            <b>{findingWords.todo}</b> <Foreign text={fix} />
          </Text>
        )}
      </div>
    </li>
  );
}

/** Problems stay in the order in which the owner should fix them. */
function sorted(findings: readonly Finding[]): Finding[] {
  return [
    ...findings.filter(({ level }) => level !== 'pass'),
    ...findings.filter(({ level }) => level === 'pass'),
  ];
}
