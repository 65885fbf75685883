import { Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, type Icon } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Finding } from '../../../src-main/contract/setup.ts';
import { Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import styles from './setup.module.css';

const levels: Record<Finding['level'], { words: string; Icon: Icon; className: string | undefined }> = {
  pass: { words: 'Good', Icon: IconCircleCheck, className: styles.pass },
  warning: { words: 'Not quite', Icon: IconAlertTriangle, className: styles.warning },
  fail: { words: 'Not yet', Icon: IconCircleX, className: styles.fail },
};

const areas: readonly { area: Finding['area']; words: string }[] = [
  { area: 'address', words: 'Your public address' },
  { area: 'site', words: 'Your site' },
  { area: 'computer', words: 'This computer' },
];

/** What was checked, by where it is mended: first what there is to do, then what is good, in a line each. */
export function Findings({ findings }: { findings: readonly Finding[] }): ReactElement {
  const shown = areas
    .map(({ area, words }) => ({ words, found: findings.filter((finding) => finding.area === area) }))
    .filter(({ found }) => found.length > 0);
  return (
    <>
      <Text fw={600} role="status">
        {summary(findings)}
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
  const { words, Icon, className } = levels[level];
  return (
    <li className={`${styles.finding} ${level === 'pass' ? styles.good : ''}`}>
      <Icon size={level === 'pass' ? 18 : 22} className={className} aria-hidden="true" />
      <div className={look.rowBody}>
        <Text fw={level === 'pass' ? 400 : 600} size={level === 'pass' ? 'sm' : 'md'}>
          <span className={className}>{words}:</span> <Foreign text={title} />
        </Text>
        <Text size={level === 'pass' ? 'xs' : 'sm'} c="dimmed" className={look.wrap}>
          <Foreign text={detail} />
        </Text>
        {fix !== undefined && (
          <Text size="sm" mt={4} className={look.wrap}>
            <b>What to do:</b> <Foreign text={fix} />
          </Text>
        )}
      </div>
    </li>
  );
}

/** What there is to do stays in the order in which it is mended. */
function sorted(findings: readonly Finding[]): Finding[] {
  return [
    ...findings.filter(({ level }) => level !== 'pass'),
    ...findings.filter(({ level }) => level === 'pass'),
  ];
}

function summary(findings: readonly Finding[]): string {
  const open = findings.filter(({ level }) => level !== 'pass');
  if (open.length === 0) return 'All is well: apps find your sign-in.';
  const lines = findings.filter(({ id }) => id.startsWith('link.'));
  const noLines = lines.length > 1 && lines.every(({ level }) => level === 'fail');
  if (noLines && open.length === lines.length)
    return 'None of the lines is on your site yet. Put them there, then check again.';
  return open.length === 1 ? 'One thing needs your attention.' : `${open.length} things need your attention.`;
}
