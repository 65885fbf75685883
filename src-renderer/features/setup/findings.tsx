import { Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX, type Icon } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Finding } from '../../../src-main/contract/setup.ts';
import { Foreign } from '../../ui/foreign.tsx';
import look from '../../ui/look.module.css';
import styles from './setup.module.css';

const levels: Record<Finding['level'], { words: string; Icon: Icon; className: string | undefined }> = {
  pass: { words: 'Good', Icon: IconCircleCheck, className: styles.pass },
  warning: { words: 'Could be better', Icon: IconAlertTriangle, className: styles.warning },
  fail: { words: 'To do', Icon: IconCircleX, className: styles.fail },
};

/** What was checked, and what to do where it is not as it should be. */
export function Findings({ findings }: { findings: readonly Finding[] }): ReactElement {
  return (
    <>
      <Text fw={600} mb={4}>
        {summary(findings)}
      </Text>
      <ul className={look.list}>
        {findings.map(({ id, level, title, detail, fix }) => {
          const { words, Icon, className } = levels[level];
          return (
            <li key={id} className={styles.finding}>
              <Icon size={22} className={className} aria-hidden="true" />
              <div className={look.rowBody}>
                <Text fw={600}>
                  <span className={className}>{words}:</span> <Foreign text={title} />
                </Text>
                <Text size="sm" c="dimmed">
                  <Foreign text={detail} />
                </Text>
                {fix !== undefined && (
                  <Text size="sm" mt={4}>
                    <b>What to do:</b> <Foreign text={fix} />
                  </Text>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function summary(findings: readonly Finding[]): string {
  const open = findings.filter(({ level }) => level !== 'pass').length;
  if (open === 0) return 'All is well: apps find your sign-in.';
  const lines = findings.filter(({ id }) => id.startsWith('link.'));
  if (lines.length > 1 && lines.every(({ level }) => level === 'fail'))
    return 'None of the lines is on your site yet. Put them there, then check again.';
  return open === 1 ? 'One thing needs your attention.' : `${open} things need your attention.`;
}
