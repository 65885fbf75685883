import { Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, type Icon } from '../../ui/icons.ts';
import type { ReactElement } from 'react';
import type { Finding } from '../../../src-main/contract/reach.ts';
import { Foreign } from '../../ui/foreign.tsx';
import shared from '../../ui/shared.module.css';
import { missingLinesAsOne } from './missing-lines.ts';
import styles from './setup.module.css';
import { findingWords, summaryOf } from './words.ts';

const levels: Record<Finding['level'], { Icon: Icon; className: string | undefined }> = {
  pass: { Icon: IconCircleCheck, className: styles.pass },
  warning: { Icon: IconAlertTriangle, className: styles.warning },
  fail: { Icon: IconCircleX, className: styles.fail },
};

const areas = ['address', 'site', 'computer'] as const satisfies readonly Finding['area'][];

interface Props {
  readonly findings: readonly Finding[];
  /** Shows of what could be better only the titles; the rest opens below them. */
  readonly foldWarnings?: boolean;
  /** What stands above the findings if none is left to do. */
  readonly fine?: string;
}

/** What is left to do, grouped by where to do it. The checks that passed are behind a line that opens. */
export function Findings({ findings: all, foldWarnings = false, fine }: Props): ReactElement {
  const findings = missingLinesAsOne(all);
  const passed = findings.filter(({ level }) => level === 'pass');
  const folded = foldWarnings ? findings.filter(({ level }) => level === 'warning') : [];
  const open = findings.filter((finding) => finding.level !== 'pass' && !folded.includes(finding));
  const groups = areas
    .map((area) => ({
      title: findingWords.areas[area],
      found: open.filter((finding) => finding.area === area),
    }))
    .filter(({ found }) => found.length > 0);
  // The summary already says that all lines are missing, and the lines are on the same screen.
  const isSaid = open.length === 1 && open[0]?.id === 'link.all';
  return (
    <>
      <Text fw={600} role="status">
        {open.length === 0 && fine !== undefined ? fine : summaryOf(open)}
      </Text>
      {!isSaid &&
        groups.map(({ title, found }) => (
          <section key={title} aria-label={title}>
            {groups.length > 1 && (
              <Text size="sm" fw={600} c="dimmed">
                {title}
              </Text>
            )}
            <Lines findings={found} />
          </section>
        ))}
      {folded.map(({ id, title, ...about }) => (
        <details key={id}>
          <summary className={styles.folded}>
            <span className={styles.warning}>{findingWords.levels.warning}</span> <Foreign text={title} />
          </summary>
          <About {...about} />
        </details>
      ))}
      {passed.length > 0 && (
        <details>
          <summary className={styles.folded}>{findingWords.passed(passed.length)}</summary>
          <Lines findings={passed} />
        </details>
      )}
    </>
  );
}

function Lines({ findings }: { findings: readonly Finding[] }): ReactElement {
  return (
    <ul className={shared.list}>
      {findings.map((finding) => (
        <Line key={finding.id} {...finding} />
      ))}
    </ul>
  );
}

function Line({ level, title, detail, fix }: Finding): ReactElement {
  const { Icon, className } = levels[level];
  return (
    <li className={`${styles.finding} ${level === 'pass' ? styles.good : ''}`}>
      <Icon size={level === 'pass' ? 18 : 22} className={className} aria-hidden="true" />
      <div className={shared.rowBody}>
        <Text fw={level === 'pass' ? 400 : 600} size={level === 'pass' ? 'sm' : 'md'}>
          <span className={className}>{findingWords.levels[level]}</span> <Foreign text={title} />
        </Text>
        <About level={level} detail={detail} fix={fix} />
      </div>
    </li>
  );
}

/** What a check found, and what to do about it. */
function About({ level, detail, fix }: Pick<Finding, 'level' | 'detail' | 'fix'>): ReactElement {
  return (
    <>
      <Text size={level === 'pass' ? 'xs' : 'sm'} c="dimmed" className={shared.wrap}>
        <Foreign text={detail} />
      </Text>
      {fix !== undefined && (
        <Text size="sm" mt={4} className={shared.wrap}>
          <b>{findingWords.todo}</b> <Foreign text={fix} />
        </Text>
      )}
    </>
  );
}
