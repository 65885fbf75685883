import { Popover, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useAnswer } from './client/queries.ts';
import shell from './shell.module.css';
import { demoWords } from './words.ts';

/** Tells the visitor on every screen that this is a demo, and on a click what that means. */
export function DemoBadge(): ReactElement | null {
  const status = useAnswer('status.get', {});
  if (status.data?.demo !== true) return null;
  return (
    <Popover width={260} position="bottom-start" shadow="md" portalProps={{ target: 'main' }}>
      <Popover.Target>
        <button type="button" className={shell.demo} title={demoWords.text}>
          {demoWords.name}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <Text size="sm">{demoWords.text}</Text>
      </Popover.Dropdown>
    </Popover>
  );
}
